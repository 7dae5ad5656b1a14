"""./dev lab: an emulated machine with the engine and a real Firecracker in it. See README.md beside this file."""

import argparse
import os
import shlex
import signal
import sys
import time

from engine import Engine
from machine import LabError
from workspace import Workspace

UNMOUNT_SECONDS = 60
STARTED = time.monotonic()


def say(text):
    print(f"==> [{time.monotonic() - STARTED:3.0f}s] {text}", file=sys.stderr, flush=True)


def to_stdout(output):
    sys.stdout.buffer.write(output)
    sys.stdout.buffer.flush()


def start(workspace, **options):
    machine = workspace.machine(**options)
    say(f"starting the emulated machine; its console: {machine.console_log}")
    return machine


def run(command, options):
    with Workspace() as workspace, start(workspace, script=options.run, share=options.share) as machine:
        say(f"running {command[0]}")
        status = machine.first.run(shlex.join(command), options.seconds, to_stdout)[0]
        say(f"it ended with status {status}")
        return status


def run_lines(options):
    """Not a terminal: no job control, no input for programs. But cd and variables last."""
    with Workspace() as workspace, start(workspace, share=options.share) as machine:
        say("one command a line; exit or Ctrl-D powers the machine off")
        while True:
            try:
                line = input("lab# ")
            except EOFError:
                line = "exit"
            if line.strip() == "exit":
                return 0
            status = machine.first.run(line, options.seconds, to_stdout)[0]
            if status:
                say(f"status {status}")


def serve(options):
    port = os.environ.get("LAB_PORT", "18080")
    if not port.isdecimal() or not 0 < int(port) < 65536:
        raise LabError(f"LAB_PORT={port} is no port")
    with Workspace() as workspace, start(workspace, share=options.share, port=port, state="LAB_TEMPLATES") as machine:
        engine = Engine(machine, to_stdout)
        say(f"starting the engine; its log: {engine.log}")
        with engine:
            url = f"http://127.0.0.1:{port}"
            say(f"ready at {url}, 25 times slower than a real machine; Ctrl-C ends it. Try:")
            say(f"curl -s {url}/api/v1/exec -H 'Content-Type: application/json' "
                """-d '{"code": "print(1 + 1)", "language": "python"}'""")
            status = engine.wait()
        raise LabError(f"the engine ended with {status}, see {engine.log}")


def make_templates():
    """Has an engine make its templates on the disk of LAB_TEMPLATES, which keeps them."""
    with Workspace() as workspace, start(workspace, state="LAB_TEMPLATES", keep=True) as machine:
        with Engine(machine):
            say("they are made")
        status, output = machine.first.run("umount /opt/state", UNMOUNT_SECONDS)
        if status:
            raise LabError(f"the disk is not whole: {output}")
    return 0


def main():
    parser = argparse.ArgumentParser(prog="./dev lab", description=__doc__)
    parser.add_argument("--share", metavar="DIRECTORY", help="is at /opt/share inside, read-only")
    parser.add_argument("--seconds", type=int, default=600, help="how long a command may take (600)")
    parser.add_argument("--shell", action="store_true", help="run commands from standard input inside")
    parser.add_argument("--junit", action="store_true", help="run the engine's tests tagged lab, or those of the classes named")
    parser.add_argument("--run", metavar="SCRIPT", help="run this file inside, give its output and exit status back")
    parser.add_argument("--make-templates", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="for the script, or names of test classes")
    options = parser.parse_args()
    if options.run:
        return run(["/opt/lab/script", *options.arguments], options)
    if options.junit:
        return run(["/opt/lab/inside/junit", *options.arguments], options)
    if options.make_templates:
        return make_templates()
    if options.arguments:
        parser.error(f"unknown: {options.arguments}")
    return run_lines(options) if options.shell else serve(options)


if __name__ == "__main__":
    # Both end it with the machine off and the drives removed. Set, not left: a shell has a background job ignore SIGINT.
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.default_int_handler)
    try:
        sys.exit(main())
    except LabError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
