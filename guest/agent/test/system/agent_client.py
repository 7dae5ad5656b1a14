"""The host's end of the agent protocol, for tests: a conversation, and a sandbox (sandbox.sh) to have it with."""

import os
import secrets
import socket
import struct
import subprocess
import threading
import time
import unittest
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
SCRIPT = {"bash": "main.sh", "javascript": "main.js", "python": "main.py"}
PARKED, READY, STDOUT, STDERR, EXIT, ARTIFACT, ARTIFACT_DATA, SKIPPED, END = range(0x81, 0x8A)
FAILURE = 0x8F
RESUME, LIMITS, ARG, ENV, FILE, DATA, GLOB, START, STDIN, STDIN_END = range(0x01, 0x0B)
TIMED_OUT, OUT_OF_MEMORY, STDOUT_TRUNCATED, STDERR_TRUNCATED = 1, 2, 4, 8


@dataclass
class Limits:
    wall_ms: int = 20_000
    processes: int = 64
    open_files: int = 64
    stdout: int = 1 << 20
    stderr: int = 1 << 20
    inodes: int = 1000
    workspace: int = 4 << 20
    tmp: int = 4 << 20
    shm: int = 4 << 20
    memory: int = 0
    artifacts: int = 16
    artifact_bytes: int = 1 << 20

    def payload(self):
        return struct.pack(
            "<6I4QIIQ", self.wall_ms, self.processes, self.open_files, self.stdout, self.stderr, self.inodes,
            self.workspace, self.tmp, self.shm, self.memory, self.artifacts, 0, self.artifact_bytes,
        )  # fmt: skip


@dataclass
class Result:
    stdout: bytes = b""
    stderr: bytes = b""
    signaled: bool = False
    status: int = -1
    flags: int = 0
    wall_s: float = 0
    cpu_s: float = 0
    peak: int = 0
    stdout_bytes: int = 0
    stderr_bytes: int = 0
    artifacts: dict = field(default_factory=dict)
    skipped: list = field(default_factory=list)
    failure: tuple = None


class Conversation:
    def __init__(self, connection, language):
        self.socket, self.language = connection, language

    def send(self, kind, payload=b""):
        self.socket.sendall(struct.pack("<BI", kind, len(payload)) + payload)

    def receive(self):
        kind, length = struct.unpack("<BI", self._exactly(5))
        return kind, self._exactly(length)

    def _exactly(self, count):
        received = bytearray()
        while len(received) < count:
            part = self.socket.recv(count - len(received))
            if not part:
                raise EOFError
            received += part
        return bytes(received)

    def expect(self, kind):
        received, payload = self.receive()
        assert received == kind, f"expected {kind:#x}, got {received:#x} {payload[:200]}"
        return payload

    def await_parked(self):
        self.expect(PARKED)

    def resume(self):
        self.send(RESUME, struct.pack("<IQ", 1, time.time_ns()) + secrets.token_bytes(64))
        return self.expect(READY)

    def describe(self, code, *, args=(), env=(), files=(), globs=(), limits=None):
        self.send(LIMITS, (limits or Limits()).payload())
        for arg in args:
            self.send(ARG, arg.encode())
        for variable in env:
            self.send(ENV, variable.encode())
        for path, content in [(SCRIPT[self.language], code.encode()), *files]:
            self.send(FILE, b"\0" + path.encode())
            for start in range(0, len(content), 262144):
                self.send(DATA, content[start : start + 262144])
        for glob in globs:
            self.send(GLOB, glob.encode())

    def start(self):
        self.send(START)

    def feed(self, stdin):
        try:
            for start in range(0, len(stdin), 65536):
                self.send(STDIN, stdin[start : start + 65536])
            self.send(STDIN_END)
        except OSError:
            pass  # the run has ended without it

    def result(self):
        result, path, promised = Result(), None, {}
        while True:
            kind, payload = self.receive()
            if kind == STDOUT:
                result.stdout += payload
            elif kind == STDERR:
                result.stderr += payload
            elif kind == EXIT:
                signaled, result.status, result.flags, wall, cpu, result.peak, out, err = struct.unpack("<BBBxxxxx5Q", payload)
                result.signaled, result.wall_s, result.cpu_s = bool(signaled), wall / 1e9, cpu / 1e9
                result.stdout_bytes, result.stderr_bytes = out, err
            elif kind == ARTIFACT:
                path = payload[8:].decode()
                (promised[path],) = struct.unpack_from("<Q", payload)
                result.artifacts[path] = b""
            elif kind == ARTIFACT_DATA:
                result.artifacts[path] += payload
            elif kind == SKIPPED:
                result.skipped.append((payload[0], payload[1:].decode()))
            elif kind == FAILURE:
                result.failure = (struct.unpack_from("<H", payload)[0], payload[2:].decode())
                return result
            else:
                assert kind == END, hex(kind)
                assert promised == {name: len(content) for name, content in result.artifacts.items()}
                return result


class Sandbox(Conversation):
    """One agent. Leaving the `with` block hangs up, which must end the sandbox by itself; only then it is killed."""

    def __init__(self, language="bash", node=HERE / "stand_in_node"):
        ours, other = socket.socketpair()
        ours.settimeout(30)
        super().__init__(ours, language)
        self.process = subprocess.Popen(
            [HERE / "sandbox.sh", os.environ["AGENT_BIN"], language, node],
            stdin=other, stdout=other, stderr=subprocess.PIPE,
        )  # fmt: skip
        other.close()
        self.log = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.hang_up()

    def hang_up(self):
        """The agent's log and how long it outlived the channel."""
        self.socket.close()
        before = time.monotonic()
        if self.log is None:
            try:
                self.log = self.process.communicate(timeout=20)[1].decode()
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.communicate()
                raise AssertionError("the sandbox outlived its channel") from None
        return time.monotonic() - before

    def prepare(self, code, **request):
        self.await_parked()
        self.resume()
        self.describe(code, **request)


def run(code, *, language="bash", stdin=b"", **request):
    with Sandbox(language) as sandbox:
        sandbox.prepare(code, **request)
        sandbox.start()
        feeder = threading.Thread(target=sandbox.feed, args=(stdin,))
        feeder.start()
        result = sandbox.result()
        sandbox.hang_up()
        feeder.join()
        return result


def count_sleeps():
    """Processes of this machine that only these tests start."""
    count = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            count += path.read_bytes().startswith(b"sleep\x00424")
        except OSError:
            pass  # gone meanwhile
    return count


def main():
    """Runs the tests of the calling program; its last line has the sum, for run.sh."""
    result = unittest.main(exit=False, verbosity=0).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    raise SystemExit(failed > 0)
