"""Runs programs of a guest root file system on this machine's own kernel, as the agent would: parked and plain.

Needs root (chroot, namespaces). The sandbox here protects nothing; it only gives the program the guest's file system, an
empty /workspace and the user that it has in the guest.
"""

import dataclasses
import os
import socket
import subprocess
import sys
import tempfile

ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/workspace",
    "PWD": "/workspace",
    "USER": "sandbox",
    "LOGNAME": "sandbox",
    "SHELL": "/bin/bash",
    "LANG": "C.UTF-8",
    "MPLCONFIGDIR": "/tmp/.matplotlib",
}
PLAIN = {"python": ["/usr/bin/python3"], "javascript": ["/usr/local/bin/node"], "bash": ["/bin/bash"]}
PARKED = {**PLAIN, "javascript": [*PLAIN["javascript"], "--require", "/usr/lib/hexr-sandbox/park.cjs"]}
PARKED_ENVIRONMENT = {"python": {}, "javascript": {}, "bash": {"BASH_ENV": "/usr/lib/hexr-sandbox/park.bash"}}
SCRIPT = {"python": "/workspace/main.py", "javascript": "/workspace/main.js", "bash": "/workspace/main.sh"}
TOUCH_MEMORY = bytes(4)
SECONDS = 60

_ENTER = """
    mount --bind "$2" "$1/workspace"
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    mount -t tmpfs tmpfs "$1/dev/shm"
    mount -t tmpfs tmpfs "$1/tmp"
    exec "${@:3}"
"""


@dataclasses.dataclass(frozen=True)
class Case:
    language: str
    code: bytes
    arguments: tuple[str, ...] = ()
    environment: dict[str, str] = dataclasses.field(default_factory=dict)
    stdin: bytes = b""
    files: dict[str, bytes] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Result:
    stdout: bytes
    stderr: bytes
    status: int


def run_plain(root, case):
    """The program in an interpreter started for it."""
    with _workspace() as workspace:
        _write_files(workspace, case)
        command = [*PLAIN[case.language], SCRIPT[case.language], *case.arguments]
        process = _start(root, workspace, {**ENVIRONMENT, **case.environment}, command)
        return _finish(process, case)


def run_parked(root, case):
    """The program in an interpreter that was parked before it was known."""
    with _workspace() as workspace:
        ours, theirs = socket.socketpair()
        ours.settimeout(SECONDS)
        with ours, theirs:
            environment = {**ENVIRONMENT, "HEXR_PARK_FD": str(theirs.fileno()), **PARKED_ENVIRONMENT[case.language]}
            command = [*PARKED[case.language], SCRIPT[case.language]]
            process = _start(root, workspace, environment, command, pass_fds=[theirs.fileno()])
            theirs.close()
            if ours.recv(1) != b"P":
                raise AssertionError(f"did not park: {process.communicate()[1].decode()}")
            _write_files(workspace, case)
            ours.sendall(TOUCH_MEMORY + launch_blob(case))
        return _finish(process, case)


def launch_blob(case):
    arguments = [SCRIPT[case.language], *case.arguments]
    environment = [f"{name}={value}" for name, value in {**ENVIRONMENT, **case.environment}.items()]
    strings = [text.encode() for text in arguments + environment]
    body = _u32(len(arguments)) + _u32(len(environment))
    body += b"".join(_u32(len(text)) + text for text in strings) + os.urandom(32)
    return _u32(len(body)) + body


def _u32(number):
    return number.to_bytes(4, "little")


class _workspace(tempfile.TemporaryDirectory):
    def __enter__(self):
        path = super().__enter__()
        os.chown(path, 1000, 1000)
        return path


def _write_files(workspace, case):
    script = os.path.basename(SCRIPT[case.language])
    for name, content in {**case.files, script: case.code}.items():
        path = os.path.join(workspace, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
    for directory, _, names in os.walk(workspace):
        for path in [directory, *(os.path.join(directory, name) for name in names)]:
            os.chown(path, 1000, 1000)


def _start(root, workspace, environment, command, pass_fds=()):
    variables = [f"{name}={value}" for name, value in environment.items()]
    namespaces = ["unshare", "--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child"]
    init = [sys.executable, os.path.join(os.path.dirname(__file__), "init.py"), root, "parked" if pass_fds else "plain"]
    as_user = ["/usr/sbin/chroot", "--userspec=1000:1000", "--groups=1000", "--skip-chdir", "/"]
    process = subprocess.Popen(
        [*namespaces, "bash", "-ec", _ENTER, "enter", root, workspace]
        + [*init, *as_user, "/usr/bin/env", "-i", "-C", "/workspace", *variables, *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=pass_fds,
    )
    for pipe in (process.stdin, process.stdout, process.stderr):
        os.fchown(pipe.fileno(), 1000, 1000)  # so that the program can open /dev/stdin and the like
    return process


def _finish(process, case):
    try:
        stdout, stderr = process.communicate(case.stdin, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        stdout, stderr = process.communicate()
        raise AssertionError(f"no end after {SECONDS} s: {stdout!r} {stderr!r}") from None
    return Result(stdout, stderr, process.returncode)
