"""The lab's tests, a stage of ./dev test, on two machines at a time: the engine's own tests that need a KVM that boots, inside one; an
engine with a real Firecracker, from outside, in the other.

    lab/test.py [-k PATTERN]    only the tests of engine_test.py whose names match
"""

import os
import re
import socket
import sys
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

from api import Api
from engine import Engine
from engine_test import EngineTest
from machine import LabError, tail
from workspace import Workspace

# All of it: nine on two cores without other work
MINUTES = int(os.environ.get("LAB_TEST_MINUTES", "30"))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def print_tails(workspaces):
    for workspace in workspaces:
        for log in sorted(workspace.path.glob("*.log")):
            print(f"---- the last lines of {log}\n{tail(log)}", flush=True)


def end_in_time(workspaces):
    """Ends this process when its time is over, whatever hangs; the emulator goes with it."""

    def end():
        print(f"the lab's tests have not ended within {MINUTES} minutes")
        print_tails(workspaces)
        print("0 passed, 1 failed", flush=True)
        os._exit(1)

    timer = threading.Timer(MINUTES * 60, end)
    timer.daemon = True
    timer.start()


def run_junit(workspace):
    """What the engine's tests that run inside say, and the counts of those that passed and failed."""
    try:
        with workspace.machine() as machine:
            status, text = machine.first.run("/opt/lab/inside/junit", MINUTES * 60)
    except LabError as error:
        return f"error: {error}", (0, 1)
    counts = {kind: int(number) for number, kind in re.findall(r"\[ *(\d+) tests (\w+) *\]", text)}
    failed = sum(counts.get(kind, 0) for kind in ("failed", "aborted", "skipped"))
    # It may also fail without a failed test: none found, or a class that cannot be set up
    return text, (counts.get("successful", 0), failed or int(status != 0))


def run_engine_tests(workspace, arguments):
    """The counts of those that passed and failed."""
    port = free_port()
    with workspace.machine(port=port, state="LAB_TEMPLATES") as machine, Engine(machine) as engine:
        EngineTest.machine, EngineTest.engine, EngineTest.api = machine, engine, Api(port)
        result = unittest.main(module="engine_test", argv=["lab/test.py", "-v", *arguments], exit=False).result
        # a subtest fails for its test, however many do
        failed = len({getattr(test, "test_case", test).id() for test, _ in result.failures + result.errors})
        return result.testsRun - failed, failed


def main(arguments):
    counts = []
    # pdeathsig: a machine ends with the thread that started it, so each thread ends its own
    with Workspace() as inside, Workspace() as outside, ThreadPoolExecutor(1) as beside:
        end_in_time([inside, outside])
        junit = None if arguments else beside.submit(run_junit, inside)
        try:
            counts.append(run_engine_tests(outside, arguments))
        except LabError as error:
            print(f"error: {error}")
            counts.append((0, 1))
        if junit:
            text, of_junit = junit.result()
            print(text, flush=True)
            counts.append(of_junit)
        passed, failed = map(sum, zip(*counts))
        if failed:
            print_tails([inside, outside])
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
