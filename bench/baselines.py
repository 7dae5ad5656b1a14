"""The same programs without the engine: bare on the host, in bubblewrap, and in a gVisor sandbox that starts cold.

All run the interpreters of the guest image's root, as a directory, so that versions are the same. Whoever calls this has
/proc, /dev, /tmp and /run mounted in that directory (dev.d/bench.sh does): a bare interpreter expects them, and runsc leaves
a mount beside its state, in /run, that must go with them.
"""

import json
import subprocess
import time
import uuid
from pathlib import Path

from load import Sample

RUN_SECONDS = 60
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8"}


def native(root, program):
    return ["/usr/sbin/chroot", root, *program.command()]


def bubblewrap(root, program):
    return [
        "/usr/bin/bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", root, "/",
        "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/workspace", "--chdir", "/workspace",
        *program.command(),
    ]  # fmt: skip


def runsc(binary, state, bundle, name):
    """The engine's own flags, but for the root: here a directory, as of an ordinary container."""
    return [
        binary, f"--root={state}", "--platform=systrap", "--network=none", "--ignore-cgroups", "--overlay2=none",
        "run", "-bundle", str(bundle), name,
    ]  # fmt: skip


def container(root, program):
    """OCI runtime configuration."""
    tmpfs = {"type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev"]}
    return {
        "ociVersion": "1.2.1",
        "process": {
            "args": program.command(),
            "env": [f"{name}={value}" for name, value in ENVIRONMENT.items()],
            "cwd": "/workspace",
            "user": {"uid": 0, "gid": 0},
            "noNewPrivileges": True,
        },
        "root": {"path": root, "readonly": True},
        "mounts": [
            {"destination": "/proc", "type": "proc", "source": "proc"},
            {"destination": "/tmp", **tmpfs},
            {"destination": "/workspace", **tmpfs},
        ],
        "linux": {"namespaces": [{"type": kind} for kind in ("pid", "network", "ipc", "uts", "mount")]},
    }


class Baselines:
    def __init__(self, root, runsc_binary):
        self._root = root
        self._runsc = runsc_binary
        self._work = Path(root, "run")
        self.runners = {"native": self._native, "bubblewrap": self._bubblewrap, "runsc": self._cold_runsc}

    def _native(self, program):
        return timed(native(self._root, program), program)

    def _bubblewrap(self, program):
        return timed(bubblewrap(self._root, program), program)

    def _cold_runsc(self, program):
        bundle = self._work / program.name
        bundle.mkdir(exist_ok=True)
        (bundle / "config.json").write_text(json.dumps(container(self._root, program)))
        name = f"bench-{uuid.uuid4().hex[:12]}"
        return timed(runsc(self._runsc, self._work / "runsc", bundle, name), program)


def timed(command, program):
    start = time.perf_counter()
    ended = subprocess.run(
        command, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=RUN_SECONDS
    )
    ms = (time.perf_counter() - start) * 1e3
    right = ended.returncode == 0 and ended.stdout.endswith(program.stdout)
    problem = None if right else f"{command[0]} gave {ended.returncode}: {(ended.stdout + ended.stderr)[-300:]!r}"
    return Sample(ms, 200 if right else 0, problem, stdout=ended.stdout)
