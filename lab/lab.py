"""./dev lab: the lab's outer machine, for people. See README.md beside this file."""

import argparse
import os
import shlex
import sys
import time

from machine import LabError
from workspace import Workspace

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


def run_script(script, arguments, share, seconds):
    with Workspace() as workspace, start(workspace, script=script, share=share) as machine:
        say(f"running {script}")
        status = machine.first.run(shlex.join(["/opt/lab/script", *arguments]), seconds, to_stdout)[0]
        say(f"it ended with status {status}")
        return status


def run_lines(share, seconds):
    """Not a terminal: no job control, no input for programs. But cd and variables last."""
    with Workspace() as workspace, start(workspace, share=share) as machine:
        say("one command a line; exit or Ctrl-D powers the machine off")
        while True:
            try:
                line = input("lab# ")
            except EOFError:
                line = "exit"
            if line.strip() == "exit":
                return 0
            status = machine.first.run(line, seconds, to_stdout)[0]
            if status:
                say(f"status {status}")


def main():
    parser = argparse.ArgumentParser(prog="./dev lab", description=__doc__)
    parser.add_argument("--share", metavar="DIRECTORY", help="is at /opt/share inside, read-only")
    parser.add_argument("--seconds", type=int, default=600, help="how long a command may take (600)")
    parser.add_argument("--shell", action="store_true", help="run commands from standard input inside")
    parser.add_argument("--run", metavar="SCRIPT", help="run this file inside, give its output and exit status back")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="for the script")
    options = parser.parse_args()
    if options.run:
        return run_script(options.run, options.arguments, options.share, options.seconds)
    if options.shell:
        return run_lines(options.share, options.seconds)
    parser.error("--run or --shell")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except LabError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
