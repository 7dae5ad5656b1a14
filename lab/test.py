"""The lab's tests, a stage of ./dev test: on one machine, first the engine's own tests that need a KVM that boots, inside; then an
engine with a real Firecracker, from outside.

    lab/test.py [-k PATTERN]    only the tests of engine_test.py whose names match
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

# All of it; more for a machine that has other work
MINUTES = int(os.environ.get("LAB_TEST_MINUTES", "15"))


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
    """Counts of passed and failed tests of the engine that run inside."""
    text = []

    def take(output):
        text.append(output)
        sys.stdout.buffer.write(output)
        sys.stdout.buffer.flush()

    status = machine.first.run("/opt/lab/inside/junit", MINUTES * 60, take)[0]
    found = re.findall(r"\[ *(\d+) tests (\w+) *\]", b"".join(text).decode(errors="replace"))
    counts = {kind: int(number) for number, kind in found}
    failed = sum(counts.get(kind, 0) for kind in ("failed", "aborted", "skipped"))
    # It may also fail without a failed test: none found, or a class that cannot be set up
    return counts.get("successful", 0), failed or int(status != 0)


def run_engine_tests(machine, port, arguments):
    with Engine(machine) as engine:
        EngineTest.machine, EngineTest.engine, EngineTest.api = machine, engine, Api(port)
        result = unittest.main(module="engine_test", argv=["lab/test.py", "-v", *arguments], exit=False).result
        # a subtest fails for its test, however many do
        failed = len({getattr(test, "test_case", test).id() for test, _ in result.failures + result.errors})
        return result.testsRun - failed, failed


def main(arguments):
    port = free_port()
    counts = []
    with Workspace() as workspace:
        end_in_time(workspace)
        try:
            with workspace.machine(port=port) as machine:
                if not arguments:
                    counts.append(run_junit(machine))
                counts.append(run_engine_tests(machine, port, arguments))
        except LabError as error:
            print(f"error: {error}")
            counts.append((0, 1))
        passed, failed = map(sum, zip(*counts))
        if failed:
            print_tails(workspace)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
