"""What an engine needs of its machine, looked at without changing anything. The engine itself proves it by starting."""

from __future__ import annotations

import enum
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

# ioctl of /dev/kvm without an argument, linux/kvm.h: _IO(0xAE, 0x00). Version 12 has been the only one since Linux 2.6.22.
KVM_GET_API_VERSION = 0xAE00
KVM_API_VERSION = 12

CONTROLLERS = ("cpu", "memory", "pids")
MIB = 1 << 20
MIN_MEMORY_MB = 1_024
MIN_OPEN_FILES = 4_096
VERSION_SECONDS = 10


class Level(enum.Enum):
    OK = "ok"
    NOTE = "note"
    PROBLEM = "problem"


@dataclass(frozen=True)
class Finding:
    subject: str
    level: Level
    text: str
    advice: str = ""


def host_findings(root: Path = Path("/"), environ: Mapping[str, str] = os.environ) -> Iterator[Finding]:
    yield system(platform.system(), platform.machine())
    if sys.platform != "linux":
        return
    yield kvm(root / "dev/kvm")
    yield cgroups((root / "proc/self/mountinfo").read_text().splitlines(), root)
    yield program("runsc", environ, "RUNSC_BIN", "/usr/bin/runsc", "gVisor; it makes sandboxes where there is no KVM")
    yield program("firecracker", environ, "FIRECRACKER_BIN", "/usr/bin/firecracker", "it makes sandboxes where there is KVM")
    yield image(Path(environ.get("GUEST_IMAGE") or "/usr/share/hexr-sandbox/image"))
    yield memory((root / "proc/meminfo").read_text())
    yield open_files()


def system(name: str, machine: str) -> Finding:
    if (name, machine) == ("Linux", "x86_64"):
        return Finding("system", Level.OK, f"Linux {platform.release()} on {machine}")
    return Finding(
        "system",
        Level.PROBLEM,
        f"{name} on {machine}",
        "An engine needs Linux on x86-64; it may run elsewhere: HEXR_SANDBOX_URL.",
    )


def kvm(device: Path) -> Finding:
    import fcntl  # not on Windows

    advice = "Sandboxes are gVisor's then. Hardware isolation needs a machine with virtualisation and access to /dev/kvm."
    try:
        descriptor = os.open(device, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return Finding("kvm", Level.NOTE, f"there is no {device}", advice)
    except OSError as e:
        return Finding("kvm", Level.NOTE, f"{device} cannot be opened: {e.strerror}", advice)
    try:
        version = fcntl.ioctl(descriptor, KVM_GET_API_VERSION)
    except OSError as e:
        return Finding("kvm", Level.NOTE, f"{device} is no KVM: {e.strerror}", advice)
    finally:
        os.close(descriptor)
    if version != KVM_API_VERSION:
        return Finding("kvm", Level.NOTE, f"{device} has API version {version}, not {KVM_API_VERSION}", advice)
    return Finding("kvm", Level.OK, f"{device} answers", "Whether a guest boots is shown by the engine's start: see isolation.")


def cgroups(mounts: Iterable[str], root: Path = Path("/")) -> Finding:
    """Version 2 if it has what is needed, else version 1: hosts exist with both, where the second is empty."""
    first: set[str] = set()
    second: set[str] = set()
    for line in mounts:
        # proc(5), mountinfo: after the lone hyphen come type, source and the options of the file system
        head, _, tail = line.partition(" - ")
        kind, _, options = tail.partition(" ")
        if kind == "cgroup":
            first |= {name for name in CONTROLLERS if name in options.split(" ", 1)[-1].split(",")}
        elif kind == "cgroup2":
            point = head.split(" ")[4]
            listed = root / point.lstrip("/") / "cgroup.controllers"
            second |= set(listed.read_text().split()) if listed.exists() else set()
    for version, found in ((2, second), (1, first)):
        if found.issuperset(CONTROLLERS):
            return Finding("cgroups", Level.OK, f"version {version} with {', '.join(CONTROLLERS)}")
    missing = ", ".join(sorted(set(CONTROLLERS) - max(first, second, key=len)))
    return Finding(
        "cgroups",
        Level.PROBLEM,
        f"no {missing}",
        "In a container, give it its cgroups writable; on a host, enable the controllers.",
    )


def program(name: str, environ: Mapping[str, str], variable: str, default: str, purpose: str) -> Finding:
    path = environ.get(variable) or (default if Path(default).exists() else shutil.which(name))
    advice = f"./dev run brings its own; elsewhere install it and set {variable}."
    if path is None:
        return Finding(name, Level.NOTE, f"not at {default} ({purpose})", advice)
    try:
        told = subprocess.run(  # noqa: S603 - a program that the operator named
            [path, "--version"], timeout=VERSION_SECONDS, capture_output=True, encoding="utf-8", errors="replace", check=True
        ).stdout
    except (OSError, subprocess.SubprocessError) as e:
        return Finding(name, Level.PROBLEM, f"{path} does not run: {e}", f"Correct {variable}.")
    return Finding(name, Level.OK, f"{path}: {told.strip().splitlines()[0] if told.strip() else 'no version'}")


def image(directory: Path) -> Finding:
    missing = [name for name in ("root.erofs", "manifest.json") if not (directory / name).is_file()]
    if not missing:
        size = (directory / "root.erofs").stat().st_size // MIB
        return Finding("image", Level.OK, f"{directory}, {size} MiB")
    advice = "./dev run builds it; ./dev image prints where it is, for GUEST_IMAGE."
    return Finding("image", Level.NOTE, f"{directory} has no {' and no '.join(missing)}", advice)


def memory(meminfo: str) -> Finding:
    kib = {line.split(":")[0]: int(line.split()[1]) for line in meminfo.splitlines() if ":" in line}
    available = kib.get("MemAvailable", 0) // 1_024
    text = f"{available} MiB available, {os.cpu_count()} processors"
    if available < MIN_MEMORY_MB:
        return Finding(
            "memory", Level.NOTE, text, f"Less than {MIN_MEMORY_MB} MiB hold only a few sandboxes: lower MAX_MEMORY_MB."
        )
    return Finding("memory", Level.OK, text)


def open_files() -> Finding:
    import resource  # not on Windows

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = hard == resource.RLIM_INFINITY
    text = f"{'any number of' if unlimited else hard} open files a process"
    if not unlimited and hard < MIN_OPEN_FILES:
        return Finding("limits", Level.NOTE, text, f"Raise it to {MIN_OPEN_FILES} (ulimit -n) for many callers at once.")
    return Finding("limits", Level.OK, text)
