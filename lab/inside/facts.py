"""Prints what this machine's kernel says about its sandboxes, as JSON: the lab's tests judge it, this only reads."""

import json
import os
from pathlib import Path

STATE = Path(os.environ["STATE_DIR"])
CGROUPS = Path("/sys/fs/cgroup")
PROGRAMS = ("firecracker", "jailer", "sandbox-launch")
LIMITS = ("memory.max", "memory.swap.max", "pids.max", "cpu.max")


def status_of(task):
    return dict(line.split(":\t", 1) for line in (task / "status").read_text().splitlines() if ":\t" in line)


def namespaces(process):
    return {name: os.readlink(process / "ns" / name) for name in ("mnt", "pid", "net", "ipc", "uts", "user")}


def network_devices(process):
    return [line.split(":")[0].strip() for line in (process / "net/dev").read_text().splitlines()[2:]]


def private_kib(process):
    """What only this process has: written pages, and file pages that no other maps."""
    fields = dict(line.split(":") for line in (process / "smaps_rollup").read_text().splitlines()[1:])
    return {name: int(fields[name].split()[0]) for name in ("Private_Clean", "Private_Dirty", "Pss_Anon", "Rss")}


def template_languages():
    """Inode of a template's memory file → its language, which begins the name of the template's directory."""
    return {memory.stat().st_ino: memory.parent.name.split("-")[0] for memory in STATE.glob("templates/*/memory")}


def monitor(process, languages):
    status = status_of(process)
    threads = [status_of(task) for task in (process / "task").iterdir()]
    cgroup = CGROUPS / (process / "cgroup").read_text().strip().removeprefix("0::/")
    memory = process / "root/memory"
    return {
        "pid": int(process.name),
        "language": languages.get(memory.stat().st_ino) if memory.exists() else None,
        "uids": status["Uid"].split(),
        "gids": status["Gid"].split(),
        "groups": status["Groups"].split(),
        "capabilities": [status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")],
        "no_new_privileges": [thread["NoNewPrivs"] for thread in threads],
        "seccomp": {thread["Name"]: thread["Seccomp"] for thread in threads},
        "namespaces": namespaces(process),
        "network_devices": network_devices(process),
        "root_entries": sorted(os.listdir(process / "root")),
        "device_nodes": sorted(str(path.relative_to(process / "root")) for path in (process / "root/dev").rglob("*")),
        "cgroup": str(cgroup),
        "limits": {name: (cgroup / name).read_text().strip() for name in LIMITS},
        "rlimits": {
            line[:26].strip(): line[26:].split()[0] for line in (process / "limits").read_text().splitlines()[1:]
        },
        "private_kib": private_kib(process),
    }


def processes():
    for process in Path("/proc").glob("[0-9]*"):
        try:
            yield process, (process / "comm").read_text().strip()
        except OSError:
            pass  # it has ended


def monitors():
    languages = template_languages()
    for process, name in processes():
        if name == "firecracker":
            try:
                yield monitor(process, languages)
            except OSError:
                pass  # it ended while it was looked at


def is_zombie(process):
    try:
        return status_of(process)["State"].startswith("Z")
    except OSError:
        return False


def names(directory):
    return sorted(path.name for path in directory.iterdir()) if directory.is_dir() else []


print(json.dumps({
    "host": {"namespaces": namespaces(Path("/proc/self"))},
    "monitors": list(monitors()),
    "left": {
        "processes": sorted(name for _, name in processes() if name in PROGRAMS),
        "zombies": sorted(name for process, name in processes() if is_zombie(process)),
        "jails": names(STATE / "run/firecracker"),
        "cgroups": sorted(str(path) for path in CGROUPS.glob("*/*/") if path.parent.name.startswith("hexr")),
        "mounts": [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines() if str(STATE) in line],
        "sockets": [line.split()[-1] for line in Path("/proc/net/unix").read_text().splitlines() if str(STATE) in line],
    },
}))
