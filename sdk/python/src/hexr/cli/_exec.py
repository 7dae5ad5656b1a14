from __future__ import annotations

import dataclasses
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from hexr.sandbox import Artifact, Client, ExecutionResult, Stderr, Stdout, StreamResult

from ._exit import CommandError, Exit

if TYPE_CHECKING:
    import argparse

LANGUAGES = {".py": "python", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".sh": "bash", ".bash": "bash"}

#: As the service's largest request; a file that is longer is not read to its end.
MAX_INPUT_BYTES = 256 << 20


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "exec",
        help="run a program",
        usage="%(prog)s [OPTION...] FILE|- [-- ARGUMENT...]",
        description="Runs FILE, or for - what comes on standard input, in a fresh sandbox. Its output is this command's "
        "output, as it comes, its exit code this command's exit code. What stands after -- is passed on to it.",
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE|-", help="the program")
    parser.add_argument("--language", help="python, javascript or bash; by default told by the suffix of FILE")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="of the program")
    parser.add_argument("--memory-mb", type=int, metavar="MIB", help="of the program")
    parser.add_argument(
        "--arg", action="append", default=[], metavar="ARGUMENT", help="of the program; more may follow after --"
    )
    parser.add_argument(
        "--env", action="append", default=[], metavar="NAME[=VALUE]", help="NAME alone takes the value from here"
    )
    parser.add_argument("--stdin", metavar="FILE|-", help="the program's standard input; by default empty")
    parser.add_argument(
        "--file",
        dest="files",
        action="append",
        default=[],
        metavar="HERE[:THERE]",
        help="a file for /workspace, maybe under another path",
    )
    parser.add_argument("--artifact", action="append", metavar="PATTERN", help="of files that come back; by default images")
    parser.add_argument("--artifact-dir", metavar="DIRECTORY", help="where files that come back are put; without it none do")
    parser.add_argument("--json", action="store_true", help="print the whole result, or error, as JSON")
    parser.add_argument("--url", help="of the service; by default HEXR_SANDBOX_URL")
    parser.add_argument("--deadline", type=float, metavar="SECONDS", help="of the call as a whole, with waiting and retries")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    if options.file == "-" and options.stdin == "-":
        raise CommandError(Exit.USAGE, "the program and its standard input cannot both come from standard input", "usage")
    if options.artifact and options.artifact_dir is None:
        raise CommandError(Exit.USAGE, "--artifact needs --artifact-dir", "usage")
    directory = None if options.artifact_dir is None else _directory(options.artifact_dir)
    program = {
        "code": _text(options.file),
        "language": options.language or _language(options.file),
        "timeout": options.timeout,
        "memory_mb": options.memory_mb,
        "args": [*options.arg, *options.program_args],
        "env": dict(_variable(text) for text in options.env),
        "stdin": None if options.stdin is None else _text(options.stdin),
        "files": _files(options.files),
        "artifacts": options.artifact if directory is not None else [],
        "deadline": options.deadline,
    }
    with Client(options.url) as client:
        return _print_json(client, program, directory) if options.json else _pass_on(client, program, directory)


def _print_json(client: Client, program: dict[str, Any], directory: Path | None) -> int:
    result = client.exec(**program)
    saved = [] if directory is None else [_save(artifact, directory) for artifact in result.artifacts]
    print(json.dumps(_as_json(result, saved), ensure_ascii=False))
    return result.exit_code


def _pass_on(client: Client, program: dict[str, Any], directory: Path | None) -> int:
    """Output as it comes; what this command has to say comes after it."""
    saved = []
    with client.stream(**program) as run:
        for event in run:
            if isinstance(event, Stdout):
                _write(event.text, sys.stdout)
            elif isinstance(event, Stderr):
                _write(event.text, sys.stderr)
            elif isinstance(event, Artifact) and directory is not None:
                saved.append(_save(event, directory))
    for note in _notes(run.result, saved):
        print(f"sandbox: {note}", file=sys.stderr)
    return run.result.exit_code


def _write(text: str, stream: TextIO) -> None:
    """Byte for byte as UTF-8, whatever this terminal's encoding."""
    stream.flush()
    stream.buffer.write(text.encode("utf-8"))
    stream.buffer.flush()


def _language(file: str) -> str:
    language = LANGUAGES.get(Path(file).suffix.lower())
    if language is None:
        what = "a program on standard input" if file == "-" else f"the suffix of {file}"
        raise CommandError(Exit.USAGE, f"{what} does not tell the language; use --language", "usage")
    return language


def _bytes(file: str) -> bytes:
    try:
        if file == "-":
            content = sys.stdin.buffer.read(MAX_INPUT_BYTES + 1)
        else:
            with Path(file).open("rb") as stream:
                content = stream.read(MAX_INPUT_BYTES + 1)
    except OSError as e:
        raise CommandError(Exit.NO_INPUT, f"{file} cannot be read: {e.strerror}", "no_input") from e
    if len(content) > MAX_INPUT_BYTES:
        raise CommandError(Exit.NO_INPUT, f"{file} has more than {MAX_INPUT_BYTES} bytes", "no_input")
    return content


def _text(file: str) -> str:
    try:
        return _bytes(file).decode("utf-8")
    except UnicodeDecodeError as e:
        raise CommandError(Exit.NO_INPUT, f"{file} is not UTF-8 at byte {e.start}", "no_input") from e


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if equals:
        return name, value
    if name not in os.environ:
        raise CommandError(Exit.USAGE, f"--env {name}: there is no such variable here", "usage")
    return name, os.environ[name]


def _files(texts: list[str]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for text in texts:
        here, colon, there = text.rpartition(":")
        # without a colon rpartition puts everything last
        if not colon:
            here, there = there, Path(there).name
        if there in files:
            raise CommandError(Exit.USAGE, f"two files are to be {there} in /workspace", "usage")
        files[there] = _bytes(here)
    return files


def _directory(text: str) -> Path:
    """Made before the run: a run whose files then cannot be put anywhere would be lost."""
    directory = Path(text)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise CommandError(Exit.CANNOT_CREATE, f"{directory} cannot be made: {e.strerror}", "cannot_create") from e
    return directory


def _save(artifact: Artifact, directory: Path) -> Path:
    try:
        return artifact.save(directory)
    except (OSError, ValueError) as e:
        raise CommandError(Exit.CANNOT_CREATE, f"{artifact.path} cannot be saved: {e}", "cannot_create") from e


def _as_json(result: ExecutionResult, saved: list[Path]) -> dict[str, Any]:
    """The service's answer; an artifact's content is the file it was saved to."""
    shown = {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
    shown["artifacts"] = [
        {"path": artifact.path, "media_type": artifact.media_type, "size": artifact.size, "file": str(file)}
        for artifact, file in zip(result.artifacts, saved)
    ]
    shown["artifacts_skipped"] = [dataclasses.asdict(skipped) for skipped in result.artifacts_skipped]
    return shown


def _notes(result: StreamResult, saved: list[Path]) -> list[str]:
    notes = []
    if result.limit is not None:
        notes.append(
            f"ended at its limit of {result.limit} after {result.execution_time_ms} ms and {result.memory_used_mb} MiB"
        )
    elif result.signal is not None:
        notes.append(f"ended by {result.signal}")
    notes += [f"{name} was longer and is cut" for name in ("stdout", "stderr") if getattr(result, name + "_truncated")]
    notes += [f"saved {file}" for file in saved]
    notes += [f"{skipped.path} did not come back: {skipped.reason}" for skipped in result.artifacts_skipped]
    return notes
