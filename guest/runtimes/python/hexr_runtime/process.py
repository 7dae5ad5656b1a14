"""What is done to the process of a parked interpreter by C code: process.c, where the reasons are."""

import os
import sys

_LIBRARY = "/usr/lib/hexr-sandbox/process.so"


class Process:
    """Made before other modules are imported, so that nothing is registered with exit(3) before it."""

    def __init__(self):
        __import__("ctypes")
        self._ctypes = sys.modules["ctypes"]
        self._library = self._ctypes.CDLL(_LIBRARY, use_errno=True)
        self._call("hexr_shorten_exit")

    def know_libraries(self):
        """Those that are loaded now are not the program's."""
        self._call("hexr_know_libraries")

    def continue_in_child(self):
        """What the kernel has counted for preloading, CPU time above all, ends with the process that did it. The agent takes
        whoever writes `P` for the program; its parent is now the same as that of any program."""
        self._call("hexr_continue_in_child")
        os.setsid()

    def touch(self):
        """Touches what a program will touch, to be called while nobody waits."""
        self._call("hexr_touch")

    def _call(self, name):
        if getattr(self._library, name)():
            raise OSError(self._ctypes.get_errno(), name)
