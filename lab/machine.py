"""The lab's outer machine: an emulated PC with AMD-V, in which the kernel has a /dev/kvm and a real Firecracker runs.

Life of a Machine: started by `with`, it is up when both of its shells have answered; leaving the block powers it off, and
what has not ended by then is killed. The two shells are virtio serial ports with a bash behind each, so that one can run
the engine while the other looks at it. All waits have a deadline. Whatever breaks inside (a panic, an emulator that hangs)
is seen here as a LabError that carries the last lines of the console. If this process dies, QEMU dies with it (PDEATHSIG),
and the machine's own pid 1 powers off when its first shell's port is closed.

QEMU's flags and what happens without them: README.md beside this file.
"""

import os
import re
import secrets
import select
import shlex
import signal
import socket
import subprocess
import time
from pathlib import Path

BOOT_SECONDS = 600
POWER_OFF_SECONDS = 60
TAIL_LINES = 40
# A timer interrupt that the emulator loses must not be the last: the clock ticks (README.md)
KERNEL_ARGUMENTS = "console=ttyS0 panic=-1 quiet loglevel=4 nohz=off highres=off"


class LabError(Exception):
    pass


def tail(path, lines=TAIL_LINES):
    """The last lines of a log, for people."""
    try:
        text = Path(path).read_text(errors="replace")
    except OSError as error:
        return f"({error})"
    return "\n".join(text.splitlines()[-lines:])


def tsc_khz():
    """Of this host, whose time stamp counter the emulator hands through. The kernel corrects it within 1 %."""
    base = Path("/sys/devices/system/cpu/cpu0/cpufreq/base_frequency")
    if base.exists():
        return int(base.read_text())
    frequencies = re.findall(r"^cpu MHz\s*: ([0-9.]+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return round(max(float(mhz) for mhz in frequencies) * 1000)


class Shell:
    """A bash inside, one command at a time."""

    def __init__(self, name, connection):
        self.name = name
        self._connection = connection
        # Ends the output of a command; random, so that no output can hold it by accident
        self._mark = f"\0{secrets.token_hex(8)} ".encode()

    def close(self):
        self._connection.close()

    def run(self, command, seconds, sink=None):
        """Runs a command; returns its exit status and, unless a sink takes it as it comes, its output (stdout and stderr)."""
        taken = []
        status = self._run(command, seconds, sink or taken.append)
        return status, b"".join(taken).decode(errors="replace")

    def _run(self, command, seconds, sink):
        end = f"; printf '\\000{self._mark[1:].decode()}%d\\n' $?\n"
        try:
            self._connection.sendall(f"eval {shlex.quote(command)} </dev/null".encode() + end.encode())
        except OSError as error:
            raise LabError(f"the machine is gone ({error}): {command}") from None
        deadline = time.monotonic() + seconds
        pending = b""
        while True:
            pending += self._receive(deadline, command)
            before, mark, after = pending.partition(self._mark)
            if mark and after.endswith(b"\n"):
                sink(before)
                return int(after)
            if not mark:
                # all but what may be the beginning of the mark
                cut = pending.rfind(b"\0", max(0, len(pending) - len(self._mark)))
                ready = pending if cut < 0 else pending[:cut]
                if ready:
                    sink(ready)
                    pending = pending[len(ready):]

    def _receive(self, deadline, command):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([self._connection], [], [], left)[0]:
            raise LabError(f"the {self.name} shell has not ended in time: {command}")
        try:
            received = self._connection.recv(65536)
        except OSError:
            received = b""
        if not received:
            raise LabError(f"the machine went away during: {command}")
        return received


class Machine:
    def __init__(self, directory, files, drives, port=None, keep=False, memory_mb=4096):
        """directory: for logs and what the machine writes. files: vmlinuz and initramfs.cpio. drives: name → image; `state`
        can be written, but unless it is to be kept, what is written is forgotten. port: of 127.0.0.1, leads to 8080 inside."""
        self.directory = Path(directory)
        self.console_log = self.directory / "console.log"
        self._files = Path(files)
        self._drives = drives
        self._port = port
        self._keep = keep
        self._shells = []
        self._memory_mb = memory_mb

    def __enter__(self):
        listeners = {name: self._listen(name) for name in ("first", "second")}
        with self.console_log.open("wb") as console:
            self._qemu = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "qemu-system-x86_64", *self._arguments()],
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                # Ctrl-C is for this process, which powers the machine off
                start_new_session=True,
                env={**os.environ, "TMPDIR": str(self.directory)},
            )
        try:
            deadline = time.monotonic() + BOOT_SECONDS
            self.first = self._shell("first", listeners, deadline)
            self.second = self._shell("second", listeners, deadline)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_):
        self._end()

    def _listen(self, name):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self.directory / name))
        listener.listen(1)
        return listener

    def _shell(self, name, listeners, deadline):
        with listeners[name] as listener:
            listener.settimeout(60)
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                raise LabError(f"QEMU does not start:\n{tail(self.console_log)}") from None
        shell = Shell(name, connection)
        self._shells.append(shell)
        try:
            shell.run("true", deadline - time.monotonic())
        except LabError as error:
            raise LabError(f"{error}\nthe console's last lines:\n{tail(self.console_log)}") from None
        return shell

    def _end(self):
        if self._qemu.poll() is None:
            self._qemu.send_signal(signal.SIGTERM)
        try:
            self._qemu.wait(POWER_OFF_SECONDS)
        except subprocess.TimeoutExpired:
            self._qemu.kill()
            self._qemu.wait()
        for shell in self._shells:
            shell.close()

    def _arguments(self):
        arguments = [
            *("-M", "pc", "-nodefaults", "-no-user-config", "-cpu", "EPYC-v1,+svm,+npt"),
            *("-m", str(self._memory_mb), "-smp", "1", "-accel", "tcg,thread=single"),
            *("-kernel", str(self._files / "vmlinuz"), "-initrd", str(self._files / "initramfs.cpio")),
            *("-append", f"{KERNEL_ARGUMENTS} tsc_early_khz={tsc_khz()}"),
            *("-display", "none", "-no-reboot", "-serial", "stdio", "-device", "virtio-serial-pci"),
        ]
        for name in ("first", "second"):
            arguments += ["-chardev", f"socket,id={name},path={self.directory / name}"]
            arguments += ["-device", f"virtserialport,chardev={name},name={name}"]
        for name, image in self._drives.items():
            access = f"snapshot={'off' if self._keep else 'on'},cache=unsafe" if name == "state" else "readonly=on"
            arguments += ["-drive", f"file={image},format=raw,if=none,id={name},{access}"]
            arguments += ["-device", f"virtio-blk-pci,drive={name},serial={name}"]
        forward = f",hostfwd=tcp:127.0.0.1:{self._port}-:8080" if self._port else ""
        arguments += ["-netdev", f"user,id=net,restrict=on{forward}", "-device", "virtio-net-pci,netdev=net,romfile="]
        return arguments
