#!/usr/bin/env python3
"""What a call costs inside a sandbox that waited: compares guest images under gVisor, in turns.

    RUNSC_BIN=... guest/runtimes/tests/cost.py ROUNDS IMAGE...

IMAGE is a root.erofs (guest/image/build prints its directory). Needs root. Prints, for each program and image, the lower quartile in
milliseconds of the CPU time that the sandbox's cgroup is charged between the call and EXIT, and of that time itself. The
first repeats within a tenth on a busy machine, the second does not.
"""

import contextlib
import os
import statistics
import sys
import tempfile
import time

import under_gvisor
from natively import SECONDS, Case

_PROGRAMS = {
    "print": Case("python", b"print(1 + 1)\n"),
    "pandas": Case("python", b"import pandas\nprint(pandas.DataFrame({'a': [1, 2, 3]}).describe())\n"),
    "console.log": Case("javascript", b"console.log(1)\n"),
    "echo": Case("bash", b"echo 1\n"),
}
_SECONDS_WAITING = 0.4


class _Cgroup:
    """Of version 1 or 2, at the top of its hierarchy."""

    def __init__(self):
        version1 = "/sys/fs/cgroup/cpuacct"
        top = version1 if os.path.isdir(version1) else "/sys/fs/cgroup"
        self._path = tempfile.mkdtemp(prefix="guest-cost-", dir=top)

    def join(self):
        with open(f"{self._path}/cgroup.procs", "w") as file:
            file.write(str(os.getpid()))

    def cpu_ms(self):
        if os.path.exists(f"{self._path}/cpuacct.usage"):
            with open(f"{self._path}/cpuacct.usage") as file:
                return int(file.read()) / 1e6
        with open(f"{self._path}/cpu.stat") as file:
            return int(dict(line.split() for line in file)["usage_usec"]) / 1e3

    def remove(self):
        """A process leaves its cgroup a moment after its end, and version 1 has no event for that."""
        deadline = time.monotonic() + SECONDS
        while os.path.exists(self._path):
            try:
                os.rmdir(self._path)
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)


class _Template(under_gvisor.Template):
    """Of an image, which gVisor's kernel reads itself."""

    def measure(self, case):
        cgroup = _Cgroup()
        try:
            with self.resumed(cgroup.join) as channel:
                time.sleep(_SECONDS_WAITING)  # it is its age that counts
                cpu_ms, begun = cgroup.cpu_ms(), time.monotonic()
                channel.start(case)
                _, stderr, status, _ = channel.outcome(case)
                took_ms, cpu_ms = (time.monotonic() - begun) * 1e3, cgroup.cpu_ms() - cpu_ms
                if status != 0:
                    raise AssertionError(f"{case.code!r} ended with {status}: {stderr!r}")
                return cpu_ms, took_ms
        finally:
            cgroup.remove()

    def _specification(self):
        specification = super()._specification()
        os.makedirs(os.path.join(self._bundle, "rootfs"))
        specification["root"]["path"] = "rootfs"
        specification["annotations"] = {
            "dev.gvisor.spec.rootfs.source": self._root,
            "dev.gvisor.spec.rootfs.type": "erofs",
        }
        return specification


def main(rounds, *images):
    for name, case in _PROGRAMS.items():
        with contextlib.ExitStack() as stack:
            templates = [stack.enter_context(_Template(os.path.realpath(image), case.language)) for image in images]
            turns = [[template.measure(case) for template in templates] for _ in range(int(rounds))]
        for image, measured in zip(images, zip(*turns)):
            cpu_ms, took_ms = (statistics.quantiles(values, n=4)[0] for values in zip(*measured))
            print(f"{name:12} {cpu_ms:6.1f} ms of CPU, {took_ms:6.1f} ms  {image}")


main(*sys.argv[1:])
