"""The directory of one run of the lab: its drives, its logs and what the machine writes."""

import contextlib
import fcntl
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from machine import Machine

HERE = Path(__file__).resolve().parent
KEPT_LOGS = 8


def part(variable):
    """A part that dev.d/lab.sh names in the environment."""
    return Path(os.environ[variable])


class Workspace:
    """A lock on the directory says that it is in use. When it is not any more, only the logs stay, those of the newest runs;
    what a killed run left is removed by the next."""

    def __init__(self):
        runs = part("SANDBOX_CACHE") / "lab-runs"
        runs.mkdir(parents=True, exist_ok=True)
        with _only_one(runs):
            _tidy(runs)
            self.path = Path(tempfile.mkdtemp(dir=runs, prefix=time.strftime("%Y%m%d-%H%M%S-")))
            self._lock = os.open(self.path, os.O_RDONLY)
            fcntl.flock(self._lock, fcntl.LOCK_EX)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        _drop_all_but_logs(self.path)
        os.close(self._lock)

    def machine(self, script=None, share=None, port=None, state="LAB_STATE", keep=False):
        """The machine with everything that is there to run: what `share` holds is at /opt/share, `script` at /opt/lab/script.
        state: which disk; what is written to it stays there if it is kept."""
        drives = {
            "root": part("GUEST_IMAGE") / "root.erofs",
            "machine": part("LAB_MACHINE") / "machine.erofs",
            "lab": self._lab_drive(script),
            "state": part(state) / "state.ext4",
        }
        if share:
            drives["share"] = self._image_of(Path(share), "share")
        return Machine(self.path, part("LAB_MACHINE"), drives, port, keep)

    def _lab_drive(self, script):
        content = self.path / "lab"
        shutil.copytree(HERE / "inside", content / "inside")
        (content / "bin").mkdir()
        for variable, name in (("FIRECRACKER_BIN", "firecracker"), ("JAILER_BIN", "jailer"), ("LAUNCHER_BIN", "sandbox-launch")):
            shutil.copy(part(variable), content / "bin" / name)
        shutil.copytree(part("GUEST_KERNEL"), content / "kernel")
        for variable, name in (("LAB_ENGINE", "engine"), ("LAB_TESTS", "tests")):
            if variable in os.environ:
                shutil.copytree(part(variable), content / name)
        if script:
            shutil.copy(script, content / "script")
            (content / "script").chmod(0o755)
        return self._image_of(content, "lab")

    def _image_of(self, directory, name):
        image = self.path / f"{name}.erofs"
        subprocess.run(["mkfs.erofs", "--quiet", "--all-root", image, directory], check=True)
        return image


@contextlib.contextmanager
def _only_one(directory):
    """Labs that begin at the same time do so one after another."""
    lock = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _tidy(runs):
    for age, run in enumerate(sorted(runs.iterdir(), reverse=True)):
        lock = os.open(run, os.O_RDONLY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _drop_all_but_logs(run) if age < KEPT_LOGS else shutil.rmtree(run)
        except BlockingIOError:
            pass  # in use
        finally:
            os.close(lock)


def _drop_all_but_logs(run):
    for entry in run.iterdir():
        if entry.is_dir():
            shutil.rmtree(entry)
        elif entry.suffix != ".log":
            entry.unlink()
