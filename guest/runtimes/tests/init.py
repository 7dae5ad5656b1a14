"""Process 1 of the namespace that natively.py makes: starts the program and ends as it does, with 128 + n for signal n.

The program is not process 1 itself, which ignores signals that it sends to itself. A parked program may be a child of the one
that was started, which has ended with 0 then.
"""

import fcntl
import os
import signal
import socket
import struct
import sys

_SIOCSIFFLAGS, _IFF_UP = 0x8914, 1  # netdevice(7)


def only_child():
    children = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with open(f"/proc/{name}/stat") as stat:
            if stat.read().rpartition(")")[2].split()[1] == "1":
                children.append(int(name))
    return children[0] if len(children) == 1 else None


def bring_up_loopback():
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", _IFF_UP))


def main(root, kind, *command):
    bring_up_loopback()
    os.chroot(root)
    os.chdir("/")
    # What is ignored stays so across execve(2): Python ignores SIGPIPE and SIGXFSZ, and whoever runs the tests in the background
    # may ignore others.
    defaults = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
    program = os.posix_spawn(command[0], command, os.environ, setsid=True, setsigdef=defaults)
    while True:
        ended, status = os.wait()
        if ended == program:
            successor = only_child() if kind == "parked" and status == 0 else None
            if successor is None:
                code = os.waitstatus_to_exitcode(status)
                sys.exit(code if code >= 0 else 128 - code)
            program = successor


main(*sys.argv[1:])
