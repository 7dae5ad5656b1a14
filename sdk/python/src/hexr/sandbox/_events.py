"""What a stream tells, as it is sent: server-sent events (WHATWG HTML, section 9.2) with JSON in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Union

from ._artifact import Artifact
from ._errors import InvalidAnswerError, UnreachableError, problem_error
from ._json import JsonObject
from ._result import Ending, SkippedArtifact, artifact_of, skipped_artifacts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

#: More than the largest event of any service, which is one artifact of 256 MiB in base64.
MAX_EVENT_BYTES = 1 << 29


@dataclass(frozen=True)
class Started:
    """The sandbox is there; the program starts next."""

    #: names the run in the service's logs
    execution_id: str
    language: str
    #: seconds that the program may take
    timeout: float
    memory_mb: int


@dataclass(frozen=True)
class Stdout:
    """The next piece of what the program wrote; never a part of a character."""

    text: str


@dataclass(frozen=True)
class Stderr:
    """As :class:`Stdout`."""

    text: str


@dataclass(frozen=True)
class StreamResult(Ending):
    """How a run ended that was streamed: an ``ExecutionResult`` without what came before it, and the times."""

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
    artifacts_skipped: tuple[SkippedArtifact, ...] = field(repr=False)
    #: milliseconds by phase; ``resume`` and ``handshake`` are None when a sandbox waited
    timings_ms: dict[str, float | None] = field(repr=False)

    @classmethod
    def from_json(cls, data: JsonObject) -> StreamResult:
        return cls(
            exit_code=data.get("exit_code", int),
            execution_time_ms=data.get("execution_time_ms", int),
            memory_used_mb=data.number("memory_used_mb"),
            execution_id=data.get("execution_id", str),
            language=data.get("language", str),
            timed_out=data.get("timed_out", bool),
            oom_killed=data.get("oom_killed", bool),
            signal=data.optional("signal", str),
            stdout_truncated=data.get("stdout_truncated", bool),
            stderr_truncated=data.get("stderr_truncated", bool),
            limit=data.optional("limit", str),
            artifacts_skipped=skipped_artifacts_of(data),
            timings_ms=data.numbers("timings_ms"),
        )

    def raise_for_exit(self) -> StreamResult:
        """Raises ProgramError unless the program exited with 0; else returns this result, so that calls can be chained."""
        self._raise_for_exit()
        return self


StreamEvent = Union[Started, Stdout, Stderr, Artifact, StreamResult]


class EventReader:
    """Makes events of the bytes of a stream, however they were cut on the way."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._name = ""
        self._data: list[bytes] = []
        self._over = False

    def feed(self, piece: bytes) -> Iterator[StreamEvent]:
        """The events that end in this piece; raises the error that one of them is."""
        start = 0
        while (end := piece.find(b"\n", start)) >= 0:
            self._line += piece[start:end]
            line = bytes(self._line)
            self._line.clear()
            start = end + 1
            yield from self._event(line)
        self._line += piece[start:]
        if len(self._line) > MAX_EVENT_BYTES:
            raise InvalidAnswerError(f"an event of the stream has more than {MAX_EVENT_BYTES} bytes")

    def _event(self, line: bytes) -> Iterator[StreamEvent]:
        if line:
            field_name, _, value = line.partition(b": ")
            if field_name == b"event":
                self._name = value.decode("utf-8", "replace")
            elif field_name == b"data":
                self._data.append(value)
            return
        name, data = self._name, b"\n".join(self._data)
        self._name = ""
        self._data.clear()
        if data:
            event = _read(name, data)
            if event is not None:
                self._over = isinstance(event, StreamResult)
                yield event

    def end(self) -> None:
        """The stream is over; raises if that is too early."""
        if not self._over:
            raise UnreachableError("the stream broke before the result came; the code may have been run")


def _read(name: str, data: bytes) -> StreamEvent | None:
    """None for an event of a later version of the service."""
    body = JsonObject.parse(data)
    if name == "start":
        return Started(
            body.get("execution_id", str), body.get("language", str), body.number("timeout"), body.get("memory_mb", int)
        )
    if name == "stdout":
        return Stdout(body.get("text", str))
    if name == "stderr":
        return Stderr(body.get("text", str))
    if name == "artifact":
        return artifact_of(body)
    if name == "result":
        return StreamResult.from_json(body)
    if name == "error":
        raise problem_error(body.get("status", int), data)
    return None
