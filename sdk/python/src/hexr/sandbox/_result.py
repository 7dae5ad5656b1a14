from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ._artifact import Artifact, preformatted
from ._errors import ProgramError, ProgramOutOfMemoryError, ProgramTimedOutError

if TYPE_CHECKING:
    from ._json import JsonObject


@dataclass(frozen=True)
class SkippedArtifact:
    """A file that matched but did not come back; ``reason`` is ``too_many``, ``too_large`` or ``unreadable``."""

    path: str
    reason: str


class Ending:
    """How a run ended."""

    exit_code: int
    execution_time_ms: int
    memory_used_mb: float
    execution_id: str
    timed_out: bool
    oom_killed: bool
    signal: str | None

    @property
    def ok(self) -> bool:
        return self.exit_code == 0

    def _last_words(self) -> str:
        """The last line on stderr, as far as it is kept."""
        return ""

    def _raise_for_exit(self) -> None:
        if self.timed_out:
            raise ProgramTimedOutError(self)
        if self.oom_killed:
            raise ProgramOutOfMemoryError(self)
        if not self.ok:
            raise ProgramError(self)


@dataclass(frozen=True)
class ExecutionResult(Ending):
    """A run that took place, whatever its exit. The fields are those of the API (openapi.yaml)."""

    stdout: str
    stderr: str
    #: the program's own; 128 + n for signal n; 124 when timed out; 137 when out of memory
    exit_code: int
    execution_time_ms: int
    #: the most memory that the program held, in MiB
    memory_used_mb: float
    #: names the run in the service's logs
    execution_id: str
    language: str
    timed_out: bool
    oom_killed: bool
    #: name of the signal that ended the program, such as SIGKILL
    signal: str | None
    stdout_truncated: bool
    stderr_truncated: bool
    #: which limit ended the run: time, memory or processes
    limit: str | None
    artifacts: tuple[Artifact, ...] = field(repr=False)
    artifacts_skipped: tuple[SkippedArtifact, ...] = field(repr=False)

    @classmethod
    def from_json(cls, body: JsonObject) -> ExecutionResult:
        return cls(
            stdout=body.get("stdout", str),
            stderr=body.get("stderr", str),
            exit_code=body.get("exit_code", int),
            execution_time_ms=body.get("execution_time_ms", int),
            memory_used_mb=body.number("memory_used_mb"),
            execution_id=body.get("execution_id", str),
            language=body.get("language", str),
            timed_out=body.get("timed_out", bool),
            oom_killed=body.get("oom_killed", bool),
            signal=body.optional("signal", str),
            stdout_truncated=body.get("stdout_truncated", bool),
            stderr_truncated=body.get("stderr_truncated", bool),
            limit=body.optional("limit", str),
            artifacts=tuple(artifact_of(file) for file in body.children("artifacts")),
            artifacts_skipped=skipped_artifacts_of(body),
        )

    def raise_for_exit(self) -> ExecutionResult:
        """Raises ProgramError unless the program exited with 0; else returns this result, so that calls can be chained."""
        self._raise_for_exit()
        return self

    def _last_words(self) -> str:
        return self.stderr.strip().rsplit("\n", 1)[-1]

    def _repr_html_(self) -> str:
        parts = [preformatted(text) for text in (self.stdout, self.stderr) if text]
        parts += [artifact._repr_html_() for artifact in self.artifacts]
        ending = f"exit code {self.exit_code}, {self.execution_time_ms} ms, {self.memory_used_mb} MiB"
        return "".join([*parts, f"<div><small>{html.escape(ending)}</small></div>"])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def artifact_of(file: JsonObject) -> Artifact:
    return Artifact(file.get("path", str), file.get("media_type", str), file.base64("content_base64"))


def skipped_artifacts_of(body: JsonObject) -> tuple[SkippedArtifact, ...]:
    return tuple(SkippedArtifact(file.get("path", str), file.get("reason", str)) for file in body.children("artifacts_skipped"))
