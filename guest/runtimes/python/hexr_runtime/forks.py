"""Keeps forked children of the program small where the kernel is gVisor.

Parent and child share memory until one of them writes to it; the kernel copies then, Linux a page, gVisor 2 MiB around it
(pkg/sentry/mm/pma.go, "Break copy-on-write by copying"). A child that runs a few lines of Python touches reference counts all
over what is preloaded, and has a copy of nearly all of it: 50 MB for each worker of a pool, instead of 5. Memory that may be
executed is copied by page, so the memory of the preloaded objects is made that. It takes nothing away from the program, which
may execute what it likes.
"""

import os
import sys

_ALL = 1 | 2 | 4  # PROT_READ, PROT_WRITE, PROT_EXEC


def copy_by_page():
    if not os.uname().release.endswith("gvisor"):
        return
    ctypes = sys.modules["ctypes"]
    mprotect = ctypes.CDLL(None, use_errno=True).mprotect
    mprotect.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    for start, end in _objects():
        if mprotect(start, end - start, _ALL):
            raise OSError(ctypes.get_errno(), "mprotect")


def _objects():
    """Memory of Python's allocators: private, writable, of no file."""
    with open("/proc/self/maps", "rb") as maps:
        mappings = [line.split() for line in maps]
    for addresses, permissions, _, _, inode, *name in mappings:
        if permissions == b"rw-p" and inode == b"0" and name in ([], [b"[heap]"]):
            yield tuple(int(address, 16) for address in addresses.split(b"-"))
