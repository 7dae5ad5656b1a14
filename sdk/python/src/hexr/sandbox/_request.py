from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Union

#: Content of a file for the sandbox: text, bytes, or the path of a file on this machine.
FileContent = Union[str, bytes, "os.PathLike[str]"]
Files = Mapping[str, FileContent]

#: No service takes a larger request, so no larger file is read (MAX_REQUEST_BYTES of the engine).
MAX_FILE_BYTES = 256 << 20


def execution_request(
    code: str,
    language: str,
    *,
    timeout: float | None,
    memory_mb: int | None,
    args: Iterable[str],
    env: Mapping[str, str] | None,
    stdin: str | None,
    files: Files | None,
    artifacts: Iterable[str] | None,
) -> dict[str, Any]:
    """The body of ``POST /api/v1/exec``. What was not given is left out: its default and its check are the service's affair."""
    given = {
        "code": code,
        "language": language,
        "timeout": timeout,
        "memory_mb": memory_mb,
        "args": _strings("args", args) or None,
        "env": None if not env else dict(env),
        "stdin": stdin,
        "files": [_file(path, content) for path, content in files.items()] if files else None,
        "artifacts": None if artifacts is None else _strings("artifacts", artifacts),
    }
    return {name: value for name, value in given.items() if value is not None}


def encode(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, allow_nan=False, separators=(",", ":")).encode("ascii")


def _strings(name: str, values: Iterable[str]) -> list[str]:
    if isinstance(values, str):
        raise TypeError(f"{name} must be a sequence of strings, not one string")
    return list(values)


def _file(path: str, content: FileContent) -> dict[str, str]:
    if isinstance(content, str):
        return {"path": path, "content": content}
    if isinstance(content, os.PathLike):
        content = _read(Path(content))
    if not isinstance(content, (bytes, bytearray, memoryview)):
        raise TypeError(f"the content of {path!r} must be str, bytes or a path, not {type(content).__name__}")
    return {"path": path, "content_base64": base64.b64encode(content).decode("ascii")}


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise ValueError(f"{path} has more than {MAX_FILE_BYTES} bytes, the most that any service takes")
    return content
