"""Runs programs as the engine does: a template of the guest root under gVisor, resumed for each program.

Needs root and RUNSC_BIN, and a guest root that has the agent. Speaks docs/agent-protocol.md, with neither limits of the host
nor care for a hostile guest: that is the engine's.
"""

import contextlib
import dataclasses
import json
import os
import socket
import struct
import subprocess
import tempfile
import threading
import time

from natively import SCRIPT, SECONDS, Case, Result

_CAPABILITIES = [
    f"CAP_{name}"
    for name in "SYS_ADMIN SETUID SETGID SETPCAP KILL CHOWN DAC_OVERRIDE FOWNER SYS_RESOURCE SYS_CHROOT NET_ADMIN".split()
]
_MIB = 1 << 20
_FRAME = 1 << 18
_RESUME, _LIMITS, _ARG, _ENV, _FILE, _DATA, _START, _STDIN, _STDIN_END = 1, 2, 3, 4, 5, 6, 8, 9, 10
_PARKED, _READY, _STDOUT, _STDERR, _EXIT, _END, _FAILURE = 0x81, 0x82, 0x83, 0x84, 0x85, 0x89, 0x8F


@dataclasses.dataclass(frozen=True)
class Measured(Result):
    """A result with what it took, in seconds: from spawning runsc to READY, from START to EXIT, and the guest's CPU time."""

    resume: float
    run: float
    cpu: float


class Template:
    """A parked interpreter, checkpointed. `with Template(...) as template: template.run(case)`."""

    def __init__(self, root, language, environment=()):
        self._root, self._language, self._environment = root, language, environment
        self._runsc = os.environ["RUNSC_BIN"]
        self._serial = 0

    def __enter__(self):
        self._directory = tempfile.TemporaryDirectory()
        self._bundle = os.path.join(self._directory.name, "bundle")
        self._image = os.path.join(self._directory.name, "image")
        os.makedirs(self._bundle)
        with open(os.path.join(self._bundle, "config.json"), "w") as file:
            json.dump(self._specification(), file)
        channel = self._start("run", "template")
        kind, payload = channel.receive()
        if kind != _PARKED:
            raise AssertionError(f"did not park: {kind:#x} {payload!r}")
        self._call("checkpoint", "-image-path", self._image, "-compression", "none", "template")
        channel.close()
        return self

    def __exit__(self, *_):
        self._directory.cleanup()

    def run(self, case):
        begun = time.monotonic()
        with self.resumed() as channel:
            ready = time.monotonic()
            channel.describe(case)
            started = time.monotonic()
            channel.send(_START)
            result = channel.outcome(case)
            return Measured(*result[:3], ready - begun, time.monotonic() - started, result[3])

    @contextlib.contextmanager
    def resumed(self, first=None):
        """The channel to a sandbox that is ready. `first`: what its process does before it is runsc."""
        self._serial += 1
        channel = self._start("restore", f"resumed-{self._serial}", "-image-path", self._image, first=first)
        try:
            channel.send(_RESUME, struct.pack("<IQ", 1, time.time_ns()) + os.urandom(64))
            channel.expect(_READY)
            yield channel
        finally:
            channel.close()

    def image_bytes(self):
        return sum(entry.stat().st_size for entry in os.scandir(self._image))

    def _specification(self):
        tmpfs = lambda path: {"destination": path, "type": "tmpfs", "source": "tmpfs", "options": ["mode=1777"]}
        return {
            "ociVersion": "1.0.0",
            "process": {
                "user": {"uid": 0, "gid": 0},
                "args": ["/sbin/agent", "--language", self._language],
                "env": list(self._environment),
                "cwd": "/",
                "capabilities": {kind: _CAPABILITIES for kind in ("bounding", "effective", "permitted")},
                "noNewPrivileges": True,
            },
            "root": {"path": self._root, "readonly": True},
            "hostname": "sandbox",
            "mounts": [tmpfs(path) for path in ("/workspace", "/tmp", "/dev/shm")]
            + [{"destination": "/proc", "type": "proc", "source": "proc"}],
            "linux": {"namespaces": [{"type": kind} for kind in ("pid", "network", "ipc", "uts", "mount")]},
        }

    def _command(self, *arguments):
        state = os.path.join(self._directory.name, "state")
        flags = ["--root", state, "--platform", "systrap", "--network", "none", "--ignore-cgroups"]
        return [self._runsc, *flags, *arguments]

    def _call(self, *arguments):
        subprocess.run(self._command(*arguments), check=True, capture_output=True, timeout=SECONDS)

    def _start(self, action, name, *options, first=None):
        ours, theirs = socket.socketpair()
        ours.settimeout(SECONDS)
        log = tempfile.TemporaryFile(dir=self._directory.name)
        # In a mount namespace of its own: runsc leaves a mount behind.
        command = ["unshare", "--mount", *self._command(action, "-bundle", self._bundle, *options, name)]
        process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=log, preexec_fn=first)
        theirs.close()
        return _Channel(ours, process, log)


def _frame(kind, payload=b""):
    return struct.pack("<BI", kind, len(payload)) + payload


def _parts(kind, content):
    for offset in range(0, len(content), _FRAME):
        yield _frame(kind, content[offset : offset + _FRAME])


def _description(case):
    """The frames from LIMITS to START."""
    sizes = (64 * _MIB, 64 * _MIB, 64 * _MIB)
    yield _frame(
        _LIMITS, struct.pack("<6I4QIIQ", SECONDS * 1000, 256, 1024, 8 * _MIB, 8 * _MIB, 65536, *sizes, 0, 0, 0, 0)
    )
    for argument in case.arguments:
        yield _frame(_ARG, argument.encode())
    for name, value in case.environment.items():
        yield _frame(_ENV, f"{name}={value}".encode())
    script = os.path.basename(SCRIPT[case.language])
    for path, content in {**case.files, script: case.code}.items():
        yield _frame(_FILE, b"\0" + path.encode())
        yield from _parts(_DATA, content)


class _Channel:
    def __init__(self, connection, process, log):
        self._connection, self._process, self._log = connection, process, log

    def send(self, kind, payload=b""):
        self._connection.sendall(_frame(kind, payload))

    def receive(self):
        kind, length = struct.unpack("<BI", self._exactly(5))
        payload = self._exactly(length)
        if kind == _FAILURE:
            raise AssertionError(f"FAILURE {payload[2:].decode()}{self._said()}")
        return kind, payload

    def expect(self, wanted):
        kind, payload = self.receive()
        if kind != wanted:
            raise AssertionError(f"expected {wanted:#x}, received {kind:#x} {payload!r}")
        return payload

    def start(self, case: Case):
        """In one write, as the engine does."""
        self._connection.sendall(b"".join(_description(case)) + _frame(_START))

    def describe(self, case: Case):
        self._connection.sendall(b"".join(_description(case)))

    def outcome(self, case):
        # From a thread: a program that reads slowly, or not at all, must not keep its output from being read.
        sender = threading.Thread(target=self._send_stdin, args=(case.stdin,))
        sender.start()
        try:
            return self._receive_outcome()
        finally:
            self._connection.shutdown(socket.SHUT_WR)
            sender.join()

    def _send_stdin(self, stdin):
        try:
            for frame in _parts(_STDIN, stdin):
                self._connection.sendall(frame)
            self.send(_STDIN_END)
        except OSError:
            pass  # the program has ended without reading all

    def _receive_outcome(self):
        output = {_STDOUT: bytearray(), _STDERR: bytearray()}
        while (received := self.receive())[0] in output:
            output[received[0]].extend(received[1])
        kind, payload = received
        if kind != _EXIT:
            raise AssertionError(f"expected EXIT, received {kind:#x}")
        by_signal, number = payload[0], payload[1]
        self.expect(_END)
        cpu = struct.unpack_from("<Q", payload, 16)[0] / 1e9
        return bytes(output[_STDOUT]), bytes(output[_STDERR]), 128 + number if by_signal else number, cpu

    def close(self):
        self._connection.close()
        try:
            self._process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise
        finally:
            self._log.close()

    def _exactly(self, length):
        data = bytearray()
        while len(data) < length:
            part = self._connection.recv(length - len(data))
            if not part:
                raise AssertionError(f"the sandbox is gone{self._said()}")
            data += part
        return bytes(data)

    def _said(self):
        self._log.seek(0)
        return f"; it said: {self._log.read().decode(errors='replace')}"
