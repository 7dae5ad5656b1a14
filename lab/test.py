"""The lab's tests, a stage of ./dev test: the engine's own tests that need a KVM that boots, inside; then an engine with a real
Firecracker, from outside. One machine serves all of it, so that templates are made once.

    lab/test.py [-k PATTERN]    only the tests of engine_test.py whose names match, and not the engine's own
"""

import os
import re
import socket
import sys
import threading
import unittest

from api import Api
from engine import Engine
from engine_test import EngineTest
from machine import LabError, tail
from workspace import Workspace

# All of it; the tests that run inside have the larger part
MINUTES, JUNIT_MINUTES = 15, 9


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def print_tails(workspace):
    for log in sorted(workspace.path.glob("*.log")):
        print(f"---- the last lines of {log}\n{tail(log)}", flush=True)


def end_in_time(workspace):
    """Ends this process when its time is over, whatever hangs; the emulator goes with it."""

    def end():
        print(f"the lab's tests have not ended within {MINUTES} minutes")
        print_tails(workspace)
        print("0 passed, 1 failed", flush=True)
        os._exit(1)

    timer = threading.Timer(MINUTES * 60, end)
    timer.daemon = True
    timer.start()


def run_junit(machine):
    """Counts of passed and failed tests."""
    text = []

    def take(output):
        text.append(output)
        sys.stdout.buffer.write(output)
        sys.stdout.buffer.flush()

    status = machine.first.run("/opt/lab/inside/junit", JUNIT_MINUTES * 60, take)[0]
    summary = re.findall(r"\[ *(\d+) tests (successful|failed|aborted|skipped) *\]", b"".join(text).decode(errors="replace"))
    counts = {kind: int(number) for number, kind in summary}
    failed = counts.get("failed", 0) + counts.get("aborted", 0) + counts.get("skipped", 0)
    # It may also fail without a failed test: none found, or a class that cannot be set up
    return counts.get("successful", 0), failed or int(status != 0)


def run_engine_tests(machine, port, arguments):
    with Engine(machine) as engine:
        EngineTest.machine, EngineTest.engine, EngineTest.api = machine, engine, Api(port)
        result = unittest.main(module="engine_test", argv=["lab/test.py", "-v", *arguments], exit=False).result
        failed = len(result.failures) + len(result.errors)
        return result.testsRun - failed, failed


def main(arguments):
    port = free_port()
    with Workspace() as workspace:
        end_in_time(workspace)
        try:
            with workspace.machine(port=port) as machine:
                passed, failed = (0, 0) if arguments else run_junit(machine)
                counts = run_engine_tests(machine, port, arguments)
                passed, failed = passed + counts[0], failed + counts[1]
        except LabError as error:
            print(f"error: {error}")
            passed, failed = 0, 1
        if failed:
            print_tails(workspace)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
