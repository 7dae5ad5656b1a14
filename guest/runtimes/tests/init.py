"""Process 1 of the namespace that natively.py makes: starts the program and ends as it does, with 128 + n for signal n.

The program is not process 1 itself, which ignores signals that it sends to itself. A parked program may be a child of the one
that was started, which has ended with 0 then.
"""

import os
import sys


def only_child():
    children = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with open(f"/proc/{name}/stat") as stat:
            if stat.read().rpartition(")")[2].split()[1] == "1":
                children.append(int(name))
    return children[0] if len(children) == 1 else None


def main(root, kind, *command):
    os.chroot(root)
    os.chdir("/")
    program = os.posix_spawn(command[0], command, os.environ, setsid=True)
    while True:
        ended, status = os.wait()
        if ended == program:
            successor = only_child() if kind == "parked" and status == 0 else None
            if successor is None:
                code = os.waitstatus_to_exitcode(status)
                sys.exit(code if code >= 0 else 128 - code)
            program = successor


main(*sys.argv[1:])
