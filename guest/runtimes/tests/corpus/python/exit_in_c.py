# What C does when a process ends: handlers, last registered first; then the buffers of its own streams. Handlers get the
# status: here it is 1, which as a descriptor is stdout.
import atexit
import ctypes
import sys

c = ctypes.CDLL(None)
c.strdup.restype = ctypes.c_void_p
c.on_exit.argtypes = ctypes.c_void_p, ctypes.c_void_p


def at_exit_write(text):
    c.on_exit(ctypes.cast(c.dprintf, ctypes.c_void_p), c.strdup(text))


c.on_exit(ctypes.cast(c.putchar, ctypes.c_void_p), None)  # into the buffer
at_exit_write(b"registered first\n")
at_exit_write(b"registered last\n")
c.printf(b"buffered by C\n")
atexit.register(c.printf, b"buffered by C in a handler of Python\n")
print("ready")
sys.exit(1)
