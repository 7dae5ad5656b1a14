"""An engine of the bench's own: started on a free port of loopback, stopped by its process id on every path."""

import os
import re
import subprocess
import threading
import time
from pathlib import Path

from load import Client

START_SECONDS = 300  # templates may have to be made
STOP_SECONDS = 60
FULL_SECONDS = 120  # an emulated one is slow
# Nothing tells a client that sandboxes wait but /health.
ASK_AGAIN_SECONDS = 0.02
LOG_BYTES = 4 << 20
TEMPLATE = re.compile(rb"/templates/(python|javascript|bash)-")


class EngineError(Exception):
    pass


class Engine:
    """Entered, it serves; `start_ms` is how long that took. The engine ends with this process even when that is killed."""

    def __init__(self, command, log, **variables):
        self._command = ["/usr/bin/setpriv", "--pdeathsig", "TERM", *command]
        self._log = Path(log)
        self._environment = {**os.environ, "LISTEN_ADDRESS": "127.0.0.1:0", "AUTH_MODE": "none", **variables}
        self._ready = threading.Event()
        self.url = None

    def __enter__(self):
        start = time.perf_counter()
        self._process = subprocess.Popen(
            self._command, env=self._environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        self._follower = threading.Thread(target=self._follow, daemon=True)
        self._follower.start()
        try:
            self._ready.wait(START_SECONDS)
            if self.url is None:
                raise EngineError(f"the engine is not ready; its log {self._log} ends with:\n{self._tail()}")
            with Client(self.url) as client:
                if client.health()["status"] != "ok":
                    raise EngineError(f"the engine is not healthy, see {self._log}")
            self.start_ms = (time.perf_counter() - start) * 1e3
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._follower.join(STOP_SECONDS)

    def _follow(self):
        """Reads to the end, so that the engine never waits for its reader; what is over the bound is not kept."""
        with self._process.stdout as lines, self._log.open("ab") as log:
            for line in lines:
                if log.tell() < LOG_BYTES:
                    log.write(line)
                    log.flush()
                if line.startswith(b"Ready: "):
                    self.url = line.split()[1].decode()
                    self._ready.set()
        self._ready.set()

    def _tail(self):
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-20:]) if self._log.exists() else ""

    def resident_mb(self):
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024

    def ready_memory_mb(self):
        """Language to what its waiting sandboxes are charged, in MiB, by their cgroups."""
        charged = {}
        for sandbox in Path(self._environment["STATE_DIR"], "run").iterdir():
            for cgroup in cgroups(sandbox.name):
                language = language_of(cgroup)
                if language:
                    charged.setdefault(language, []).append(charge_mb(cgroup))
        return charged


def cgroups(name):
    """The directory of a sandbox's memory cgroup, v1 or v2; none when it has just gone."""
    for hierarchy in ("/sys/fs/cgroup/memory", "/sys/fs/cgroup/unified", "/sys/fs/cgroup"):
        found = [each for each in Path(hierarchy).glob(f"**/{name}") if charge_file(each)]
        if found:
            return found[:1]
    return []


def charge_file(cgroup):
    return next((f for f in (cgroup / "memory.usage_in_bytes", cgroup / "memory.current") if f.exists()), None)


def charge_mb(cgroup):
    return int(charge_file(cgroup).read_text()) / (1 << 20)


def language_of(cgroup):
    """The template that a process of it was resumed from stands on its command line."""
    for pid in (cgroup / "cgroup.procs").read_text().split():
        try:
            found = TEMPLATE.search(Path(f"/proc/{pid}/cmdline").read_bytes())
        except FileNotFoundError:
            continue
        if found:
            return found[1].decode()
    return None


def await_full_pool(client):
    """Until as many sandboxes wait as the engine wants, so that one call does not pay for the one before it."""
    deadline = time.monotonic() + FULL_SECONDS
    while time.monotonic() < deadline:
        levels = client.health()["pool"]["languages"]
        if all(level["ready"] >= level["target"] and not level["refilling"] for level in levels):
            return
        time.sleep(ASK_AGAIN_SECONDS)
    raise EngineError(f"the pool is not full after {FULL_SECONDS} s: {levels}")
