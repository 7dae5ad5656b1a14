from __future__ import annotations

import base64
import html
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: What a browser shows by ``<img>``, where even an SVG runs no script.
IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"})
SHOWN_CHARACTERS = 2_000


@dataclass(frozen=True)
class Artifact:
    """A file that the program made. Its name, type and content are the program's: they are shown and saved with care."""

    #: relative to /workspace, with slashes
    path: str
    media_type: str
    content: bytes = field(repr=False)

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1]

    @property
    def size(self) -> int:
        return len(self.content)

    def text(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        return self.content.decode(encoding, errors)

    def save(self, to: str | os.PathLike[str] = ".") -> Path:
        """Writes the file and returns where. ``to`` is a directory that exists, into which it goes under its own path, or the
        path of the file itself. A path that would lead out of the directory is refused with ValueError."""
        target = Path(to)
        if target.is_dir():
            target = self._below(target)
            target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(self.content)
        return target

    def _below(self, directory: Path) -> Path:
        parts = self.path.split("/")
        # a backslash or a colon is an ordinary character to the program and leads elsewhere on Windows
        unsafe = "\0" if os.name == "posix" else '\0\\:*?"<>|'
        if any(part in ("", ".", "..") for part in parts) or any(c in self.path for c in unsafe):
            raise ValueError(f"the artifact's path {self.path!r} is not safe here; save it under a name of your own")
        target = directory.joinpath(*parts)
        # a link that is there already may lead out as well
        if not target.parent.resolve().is_relative_to(directory.resolve()) or target.is_symlink():
            raise ValueError(f"{target} leads out of {directory} by a symbolic link")
        return target

    def _repr_png_(self) -> bytes | None:
        return self.content if self.media_type == "image/png" else None

    def _repr_html_(self) -> str:
        caption = f"{html.escape(self.path)} ({html.escape(self.media_type)}, {self.size} bytes)"
        if self.media_type in IMAGES:
            data = base64.b64encode(self.content).decode("ascii")
            return f'<img alt="{caption}" src="data:{self.media_type};base64,{data}">'
        if self.media_type.startswith("text/") or self.media_type == "application/json":
            return f"<div>{caption}</div>{preformatted(self.text(errors='replace'))}"
        return f"<div>{caption}</div>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        bundle = {"text/plain": repr(self), "text/html": self._repr_html_()}
        if self.media_type == "image/png":
            bundle["image/png"] = base64.b64encode(self.content).decode("ascii")
        return bundle


def preformatted(text: str) -> str:
    """Text of a program as HTML: escaped, for a notebook would run what is not, and no more than one wants to scroll."""
    more = f"\n… {len(text) - SHOWN_CHARACTERS} more characters" if len(text) > SHOWN_CHARACTERS else ""
    return f"<pre>{html.escape(text[:SHOWN_CHARACTERS])}{more}</pre>"
