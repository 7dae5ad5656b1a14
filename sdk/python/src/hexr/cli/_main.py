from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import hexr
from hexr.sandbox import SandboxError
from hexr.sandbox._settings import DEFAULT_URL

from . import _doctor, _exec
from ._exit import MEANINGS, CommandError, Exit, exit_of

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Parser(argparse.ArgumentParser):
    """argparse exits with 2 on wrong use, which is an exit code of many programs; 64 says that no program was run."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        if message.startswith("unrecognized arguments"):
            message += " (what is for the program stands after --)"
        self.exit(Exit.USAGE, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    own, program = _split(sys.argv[1:] if arguments is None else arguments)
    options = _parser().parse_args(own, argparse.Namespace(program_args=program))
    try:
        code: int = options.run(options)
        sys.stdout.flush()
        return code
    except SandboxError as e:
        more = {name: getattr(e, name, None) for name in ("status", "field", "legal", "execution_id")}
        return _fail(options, exit_of(e), str(e), {"code": e.code, "detail": getattr(e, "detail", str(e)), **more})
    except CommandError as e:
        return _fail(options, e.exit_code, str(e), {"code": e.code, "detail": str(e)})
    except BrokenPipeError:
        # Whoever read the output has gone, as `head` does. Python would complain at its end when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _split(arguments: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """What stands before the first ``--`` is this command's, the rest the program's; argparse would mix them."""
    if "--" not in arguments:
        return arguments, []
    end = arguments.index("--")
    return arguments[:end], arguments[end + 1 :]


def _fail(options: argparse.Namespace, exit_code: Exit, text: str, error: dict[str, Any]) -> int:
    if getattr(options, "json", False):
        print(json.dumps({"error": {name: value for name, value in error.items() if value is not None}}))
    else:
        print(f"sandbox: {text}", file=sys.stderr)
    return exit_code


def _parser() -> argparse.ArgumentParser:
    exits = "\n".join(f"  {code:d}  {meaning}" for code, meaning in MEANINGS.items())
    parser = _Parser(
        prog="sandbox",
        description="Runs code in a sandbox of the Sandbox Engine, or looks whether there can be one.",
        epilog=f"The service is at HEXR_SANDBOX_URL, else {DEFAULT_URL}.\n\nExit codes besides the program's own:\n{exits}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"sandbox {hexr.__version__}")
    commands: Any = parser.add_subparsers(metavar="COMMAND", required=True)
    _exec.add_to(commands)
    _doctor.add_to(commands)
    return parser
