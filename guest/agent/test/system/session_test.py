#!/usr/bin/env python3
"""The agent on this machine's own kernel, as its host has to do with it: parking, release, the channel. As root."""

import os
import struct
import tempfile
import time
import unittest
from pathlib import Path

import agent_client
from agent_client import Limits, Sandbox, run


PARK_IN_CHILD = """
import time

def park_in_child():
    ended, held = os.pipe()
    if os.fork():
        os._exit(0)
    os.close(held)
    os.read(ended, 1)  # until the parent has ended
    os.close(ended)

"""

# Seconds within which a sandbox ends when its host hangs up, on a busy machine too
SOON = 15


class Parked(unittest.TestCase):
    def test_a_parked_interpreter_gets_arguments_environment_and_limits(self):
        result = run(
            'echo "$STAND_IN $PWD $1|$2|$A|${HEXR_PARK_FD-none}"; ls; ulimit -Hn; ulimit -Su; ls /proc/self/fd | tr "\\n" " "',
            language="javascript",
            args=["a b", ""],
            env=["A=1"],
            limits=Limits(open_files=33, processes=44),
        )
        self.assertEqual("parked /workspace a b||1|none\nmain.js\n33\n44\n0 1 2 3 ", result.stdout.decode())

    def test_a_child_may_park_and_then_counts_as_a_new_process(self):
        stand_in = (agent_client.HERE / "stand_in_node").read_text()
        forking = stand_in.replace(
            "    os.write(descriptor", "    while time.process_time() < 0.5:\n        pass\n    park_in_child()\n    os.write(descriptor"
        ).replace("words = sys", PARK_IN_CHILD + "words = sys", 1)
        self.assertNotEqual(stand_in, forking)
        with tempfile.TemporaryDirectory() as directory:
            node = Path(directory, "node")
            node.write_text(forking)
            with Sandbox("javascript", node) as sandbox:
                sandbox.prepare("times | head -n 1; ps -o ppid= $$; ulimit -n; exit 9", limits=Limits(open_files=33))
                sandbox.start()
                result = sandbox.result()
        times, parent, files = result.stdout.decode().split("\n")[:3]
        self.assertRegex(times, r"^0m0\.[0-2]")
        self.assertEqual(("1", "33", 9), (parent.strip(), files, result.status))
        self.assertLess(result.cpu_s, 0.4)

    def test_a_parked_interpreter_is_asked_once_to_touch_its_memory(self):
        self.assertEqual(b"1\n", run("echo $TOUCHED", language="javascript").stdout)

    def test_what_was_said_while_parking_is_not_the_programs_output(self):
        self.assertEqual(b"", run("true", language="javascript").stderr)

    def test_two_runs_have_different_seeds_and_random_bytes(self):
        self.assertNotEqual(*(run("echo $SEED", language="javascript").stdout for _ in range(2)))
        ready, before = [], time.time()
        for _ in range(2):
            with Sandbox() as sandbox:
                sandbox.await_parked()
                ready.append(sandbox.resume())
        version, clock = struct.unpack_from("<IQ", ready[0])
        self.assertEqual(1, version)
        self.assertTrue(before <= clock / 1e9 <= time.time(), (before, clock))
        self.assertNotEqual(ready[0][12:], ready[1][12:])

    def test_a_large_request_reaches_the_parked_interpreter_whole(self):
        result = run("echo $#", language="javascript", args=["x" * 1000] * 1500)
        self.assertEqual(b"1500\n", result.stdout)

    def test_an_interpreter_that_dies_instead_of_parking_is_a_failure_with_its_last_words(self):
        for script, words in (
            ("#!/bin/sh\necho 'no such module' >&2; exit 3\n", "no such module"),
            ("#!/bin/sh\nexec 63>&-\n", "ended instead of parking"),
            ("#!/no/such/interpreter\n", "execve"),
        ):
            with tempfile.TemporaryDirectory() as directory:
                node = Path(directory, "node")
                node.write_text(script)
                with Sandbox("javascript", node) as sandbox:
                    code, text = sandbox.result().failure
            self.assertEqual(4, code)
            self.assertIn(words, text)

    def test_an_interpreter_that_dies_after_parking_is_a_failure_of_the_run(self):
        with tempfile.TemporaryDirectory() as directory:
            node = Path(directory, "node")
            node.write_text("#!/bin/bash\nprintf P >&63\nhead -c 0; sleep 0.5\n")
            with Sandbox("javascript", node) as sandbox:
                sandbox.prepare("true")
                await_end_of("node", sandbox.process.pid)
                sandbox.start()
                code, text = sandbox.result().failure
        self.assertEqual(4, code)


class Channel(unittest.TestCase):
    def test_the_host_hanging_up_ends_the_sandbox_in_every_state(self):
        def parked(sandbox):
            sandbox.await_parked()

        def resumed(sandbox):
            parked(sandbox)
            sandbox.resume()

        def in_the_middle_of_a_frame(sandbox):
            resumed(sandbox)
            sandbox.socket.sendall(b"\x02\x48\0\0\0half")

        def running(sandbox):
            sandbox.prepare("echo on; sleep 4243")
            sandbox.start()
            sandbox.expect(agent_client.STDOUT)

        def with_stdin_that_is_not_taken(sandbox):
            running(sandbox)
            for _ in range(17):  # one more than the pipe takes, no more than the socket does
                sandbox.send(agent_client.STDIN, bytes(65536))

        for state in (parked, resumed, in_the_middle_of_a_frame, running, with_stdin_that_is_not_taken):
            with self.subTest(state.__name__), Sandbox() as sandbox:
                state(sandbox)
                self.assertLess(sandbox.hang_up(), SOON)
        self.assertEqual(0, agent_client.count_sleeps())

    def test_a_violation_is_told_and_ends_the_sandbox(self):
        for kind, payload in ((agent_client.START, b""), (0x7F, b""), (agent_client.LIMITS, bytes(72))):
            with Sandbox() as sandbox:
                sandbox.await_parked()
                sandbox.resume()
                sandbox.send(kind, payload)
                self.assertEqual(2, sandbox.result().failure[0])
                self.assertLess(sandbox.hang_up(), SOON)

    def test_a_frame_that_is_too_large_is_a_violation(self):
        with Sandbox() as sandbox:
            sandbox.await_parked()
            sandbox.socket.sendall(struct.pack("<BI", 1, 262145))
            self.assertEqual(2, sandbox.result().failure[0])

    def test_a_violation_while_the_program_runs_ends_it(self):
        with Sandbox() as sandbox:
            sandbox.prepare("sleep 60")
            sandbox.start()
            sandbox.send(agent_client.ARG, b"late")
            self.assertEqual(2, sandbox.result().failure[0])

    def test_nothing_inside_holds_the_hosts_log_while_a_program_runs(self):
        with Sandbox() as sandbox:
            sandbox.prepare("echo on; sleep 4244")
            log = os.fstat(sandbox.process.stderr.fileno()).st_ino
            self.assertIn("agent", holders_of_pipe(log), "before the program starts the agent writes to the log")
            sandbox.start()
            sandbox.expect(agent_client.STDOUT)
            self.assertNotIn("agent", holders_of_pipe(log))
            self.assertNotIn("sleep", holders_of_pipe(log))

    def test_after_the_end_the_agent_waits_for_the_host_to_hang_up(self):
        with Sandbox() as sandbox:
            sandbox.prepare("true")
            sandbox.start()
            sandbox.result()
            self.assertIsNone(sandbox.process.poll())
            sandbox.feed(b"x" * 500_000)
            self.assertLess(sandbox.hang_up(), SOON)
            self.assertEqual(0, sandbox.process.returncode)


def holders_of_pipe(inode):
    """Names of the processes that have an end of a pipe open."""
    names = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if any(os.readlink(fd) == f"pipe:[{inode}]" for fd in (process / "fd").iterdir()):
                names.append((process / "comm").read_text().strip())
        except OSError:
            pass  # gone meanwhile
    return names


def await_end_of(name, ancestor):
    """Of a process that ends by itself and tells nobody."""
    deadline = time.monotonic() + 20
    while name in descendants(ancestor):
        assert time.monotonic() < deadline, f"{name} goes on"
        time.sleep(0.02)


def descendants(ancestor):
    """Names of the processes below one that have not ended, whoever has taken notice of that."""
    names, parents = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, _, rest = stat.read_text().partition(" (")
        except OSError:
            continue  # gone meanwhile
        name, _, fields = rest.rpartition(") ")
        state, parent = fields.split()[:2]
        parents[int(pid)] = int(parent)
        if state not in "XZ":
            names[int(pid)] = name

    def is_below(pid):
        return pid in parents and (parents[pid] == ancestor or is_below(parents[pid]))

    return [name for pid, name in names.items() if is_below(pid)]


if __name__ == "__main__":
    agent_client.main()
