"""From parked to launched: reads what the agent sends ("The launch blob" in docs/agent-protocol.md) and takes it over."""

import _signal
import os
import posix
import site
import sys
import time

# Variables that Python or a preloaded library reads once, at its start, by how their names begin. A call that gives one
# of them another value than the parked interpreter had gets a new interpreter. Listed in guest/runtimes/README.md.
START_ONLY = (
    "PYTHON",  # all of Python's own: hash seed, path, encoding, warnings, ...
    "LANG", "LC_", "LOCPATH",  # setlocale(3) at start; LANGUAGE is among them
    "LD_", "GLIBC_", "GCONV_", "MALLOC_",  # dynamic linker and C library
    "OPENBLAS_", "GOTO_", "OMP_", "MKL_", "BLIS_",  # linear algebra, when numpy is imported
    "NPY_", "NUMPY_", "SCIPY_", "PANDAS_",
    "OPENSSL_",  # when ssl or hashlib is imported
)

WORKSPACE = "/workspace"


class Call:
    """What a program is started with: `arguments` (the script's path first) and `environment`, as bytes."""

    def __init__(self, arguments, environment):
        self.arguments = arguments
        self.environment = environment


def read(descriptor, touch_memory):
    while not (length := _number(_read_exactly(descriptor, 4))):
        touch_memory()
    body = _read_exactly(descriptor, length)
    counts, position = (_number(body[0:4]), _number(body[4:8])), 8
    strings = []
    for _ in range(sum(counts)):
        length = _number(body[position : position + 4])
        strings.append(body[position + 4 : position + 4 + length])
        position += 4 + length
    # 32 bytes of seed follow. Python needs none: its generators are seeded from the kernel's, see stash.py.
    return Call(strings[: counts[0]], dict(entry.split(b"=", 1) for entry in strings[counts[0] :]))


def _read_exactly(descriptor, length):
    data = bytearray()
    while len(data) < length:
        part = os.read(descriptor, length - len(data))
        if not part:
            os._exit(1)  # the agent is gone
        data += part
    return bytes(data)


def _number(data):
    return int.from_bytes(data, "little")


def assume(call):
    """Makes arguments, environment, time zone and directory those of the call."""
    arguments = [os.fsdecode(argument) for argument in call.arguments]
    sys.argv[:] = arguments
    sys.orig_argv[1:] = arguments
    os.environb.clear()
    os.environb.update(call.environment)
    # What `os` makes os.environ of when it is loaded; importlib.reload(os) would.
    posix.environ.clear()
    posix.environ.update(call.environment)
    time.tzset()
    # Mounted anew since the interpreter parked: the old directory is another one.
    os.chdir(WORKSPACE)


def rehearse():
    """The system calls by which a script is launched, without effect. At the first one from each place the kernel of gVisor
    rewrites the code there, which copies a page: better before the snapshot than in each resume."""
    os.chdir(".")
    os.set_inheritable(0, True)


def must_be_fresh(call, parked_environment, stash):
    names = call.environment.keys() | parked_environment.keys()
    changed = [name for name in names if call.environment.get(name) != parked_environment.get(name)]
    if any(os.fsdecode(name).startswith(START_ONLY) for name in changed):
        return True
    # HOME may be another one, and it may hold packages (~/.local/lib/python3.11/site-packages).
    site.USER_BASE = site.USER_SITE = None
    if os.path.isdir(site.getusersitepackages()):
        return True
    return stash.is_shadowed_by(WORKSPACE)


def execute_fresh(call):
    # Python ignores these two, and what is ignored stays so across execve(2).
    for signal in (_signal.SIGPIPE, _signal.SIGXFSZ):
        _signal.signal(signal, _signal.SIG_DFL)
    os.execve(sys.executable, [sys.executable, *call.arguments], {**call.environment, b"HEXR_PROGRAM": b"1"})
