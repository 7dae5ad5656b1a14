"""The lab's tests, a stage of ./dev test. On one machine, first inside and side by side: the agent's tests in microVMs, and the
engine's own tests that need a KVM that boots; then an engine with a real Firecracker, from outside.

    lab/test.py [-k PATTERN]    only the tests of engine_test.py whose names match
"""

import os
import re
import socket
import sys
import threading
import unittest
from pathlib import Path

from api import Api
from engine import Engine
from engine_test import EngineTest
from machine import LabError, tail
from workspace import Workspace

AGENT_TESTS = Path(__file__).resolve().parent.parent / "guest/agent/test"
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


class Inside:
    """A test program inside, on a shell of its own; `counts` finds (passed, failed) in what it printed."""

    def __init__(self, name, shell, command, log, counts):
        self._name, self._log, self._counts = name, log, counts
        self._status = None
        self._thread = threading.Thread(target=self._run, args=(shell, command), daemon=True)
        self._thread.start()

    def _run(self, shell, command):
        with self._log.open("wb", buffering=0) as log:
            try:
                self._status = shell.run(command, MINUTES * 60, log.write)[0]
            except LabError as error:
                log.write(f"\n{error}\n".encode())

    def counts(self):
        self._thread.join()
        text = self._log.read_text(errors="replace")
        print(text)
        if self._status is None:
            raise LabError(f"{self._name}: no end, see above")
        passed, failed = self._counts(text)
        # It may also fail without a failed test: none found, or a class that cannot be set up
        failed = failed or int(self._status != 0 or passed == 0)
        print(f"{self._name}: {passed} passed, {failed} failed", flush=True)
        return passed, failed


def junit_counts(text):
    found = {kind: int(number) for number, kind in re.findall(r"\[ *(\d+) tests (\w+) *\]", text)}
    return found.get("successful", 0), sum(found.get(kind, 0) for kind in ("failed", "aborted", "skipped"))


def unittest_counts(text):
    found = re.findall(r"^(\d+) passed, (\d+) failed$", text, re.MULTILINE)
    return tuple(map(int, found[-1])) if found else (0, 0)


def run_inside(machine):
    agent = Inside("agent in microVMs", machine.second, "/opt/share/vm/run", machine.directory / "agent-tests.log", unittest_counts)
    engine = Inside("engine's tests in the lab", machine.first, "/opt/lab/inside/junit", machine.directory / "junit.log", junit_counts)
    return [agent.counts(), engine.counts()]


def run_engine_tests(machine, port, arguments):
    with Engine(machine) as engine:
        EngineTest.machine, EngineTest.engine, EngineTest.api = machine, engine, Api(port)
        result = unittest.main(module="engine_test", argv=["lab/test.py", "-v", *arguments], exit=False).result
        failed = len(result.failures) + len(result.errors)
        return result.testsRun - failed, failed


def main(arguments):
    port = free_port()
    counts = []
    with Workspace() as workspace:
        end_in_time(workspace)
        try:
            with workspace.machine(share=AGENT_TESTS, port=port) as machine:
                if not arguments:
                    counts += run_inside(machine)
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
