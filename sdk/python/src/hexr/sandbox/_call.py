from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, Callable, Generic, TypeVar

import httpx

from ._errors import InvalidAnswerError, SandboxError, ServiceError, UnreachableError, service_error
from ._health import Health
from ._json import JsonObject
from ._request import encode
from ._result import ExecutionResult
from ._retry import Deadline, Retries

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._settings import Settings

R = TypeVar("R")

#: What the HTTP library lets out when something goes wrong on the way; TLS alerts come through it as they are.
TRANSPORT_ERRORS = (httpx.HTTPError, ssl.SSLError)

EXEC = "/api/v1/exec"

#: For what is not the program: the queue, retries, the way there and back.
OVERHEAD_SECONDS = 90.0
#: The service's own default of ``timeout``; only the deadline of this side is made from it.
USUAL_TIMEOUT = 30.0
HEALTH_SECONDS = 10.0
#: More than the largest answer of any service: two streams of 64 MiB escaped, and artifacts of 256 MiB.
MAX_ANSWER_BYTES = 1 << 30


class Request:
    """One request to the API: what is sent, by when it must be answered, when to try again. It knows no sockets, so that the
    blocking and the asynchronous client are the same but for the waiting."""

    def __init__(self, settings: Settings, path: str, body: bytes | None, seconds: float, accept: str) -> None:
        self.url = settings.url + path
        self.method = "GET" if body is None else "POST"
        self.body = body
        self.headers = {"Accept": accept}
        if body is not None:
            self.headers["Content-Type"] = "application/json"
        self.deadline = Deadline(seconds)
        self._connect_timeout = settings.connect_timeout
        self._retries = Retries(settings.max_retries, self.deadline)

    def timeout(self) -> httpx.Timeout:
        left = self.deadline.require()
        return httpx.Timeout(left, connect=min(left, self._connect_timeout))

    def error(self, answer: Answer) -> SandboxError:
        """What an answer means that is not the wanted one."""
        if answer.status in (200, 204):
            return InvalidAnswerError(
                f"{self.url} answered with {answer.media_type or 'no content type'}; does it lead to a Sandbox Engine?"
            )
        return service_error(answer.status, answer.headers, answer.body)

    def pause(self, error: ServiceError) -> float:
        """Seconds until the next try; raises the error when there is to be none."""
        return self._retries.pause(error)

    def pause_after(self, answer: Answer) -> float:
        """The same, for an answer that is not the wanted one."""
        error = self.error(answer)
        if isinstance(error, ServiceError):
            return self.pause(error)
        raise error

    def failure(self, error: Exception) -> SandboxError:
        """What an exception of the HTTP library means."""
        if isinstance(error, (httpx.ReadTimeout, httpx.WriteTimeout, httpx.PoolTimeout)):
            return self.deadline.exceeded()
        if isinstance(error, httpx.ConnectTimeout):
            return UnreachableError(f"no connection to {self.url} within {self._connect_timeout:g} s")
        if isinstance(error, httpx.ConnectError):
            return UnreachableError(f"no connection to {self.url}: {error}")
        if isinstance(error, httpx.DecodingError):
            return InvalidAnswerError(f"the answer of {self.url} cannot be decoded: {error}")
        return UnreachableError(f"the connection to {self.url} broke: {error or type(error).__name__}")


class Call(Request, Generic[R]):
    """A request that is answered at once by a complete answer."""

    def __init__(
        self,
        settings: Settings,
        path: str,
        body: bytes | None,
        seconds: float,
        read: Callable[[JsonObject], R],
        results: frozenset[int] = frozenset({200}),
    ) -> None:
        super().__init__(settings, path, body, seconds, "application/json")
        self._read = read
        self._results = results

    def result(self, answer: Answer) -> R:
        """The result that an answer holds; raises the service's error when it holds one."""
        if answer.status in self._results and answer.media_type == "application/json":
            return self._read(JsonObject.parse(answer.body))
        raise self.error(answer)


class StreamCall(Request):
    """A request that is answered by a stream of events."""

    def __init__(self, settings: Settings, path: str, body: bytes, seconds: float) -> None:
        super().__init__(settings, path, body, seconds, "text/event-stream")

    @staticmethod
    def is_stream(answer: Answer) -> bool:
        return answer.status == 200 and answer.media_type == "text/event-stream"


class Answer:
    """An answer as it arrives: bounded in size and, piece by piece, in time."""

    def __init__(self, response: httpx.Response, deadline: Deadline) -> None:
        self.status = response.status_code
        self.headers: Mapping[str, str] = response.headers
        self.media_type = response.headers.get("content-type", "").split(";")[0].strip().lower()
        self.body = b""
        self._pieces: list[bytes] = []
        self._size = 0
        self._deadline = deadline

    def add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > MAX_ANSWER_BYTES:
            raise InvalidAnswerError(f"the answer has more than {MAX_ANSWER_BYTES} bytes")
        self._pieces.append(piece)
        self._deadline.require()

    def complete(self) -> Answer:
        self.body = b"".join(self._pieces)
        self._pieces.clear()
        return self


def exec_call(
    settings: Settings, request: Mapping[str, object], timeout: float | None, deadline: float | None
) -> Call[ExecutionResult]:
    return Call(settings, EXEC, encode(request), _seconds(settings, timeout, deadline), ExecutionResult.from_json)


def stream_call(settings: Settings, request: Mapping[str, object], timeout: float | None, deadline: float | None) -> StreamCall:
    return StreamCall(settings, EXEC, encode(request), _seconds(settings, timeout, deadline))


def _seconds(settings: Settings, timeout: float | None, deadline: float | None) -> float:
    usual = OVERHEAD_SECONDS + (USUAL_TIMEOUT if timeout is None else timeout)
    return deadline if deadline is not None else settings.deadline if settings.deadline is not None else usual


def health_call(settings: Settings) -> Call[Health]:
    """A service that does not run code says so with 503, which is an answer here and no reason to try again."""
    return Call(settings, "/health", None, HEALTH_SECONDS, Health.from_json, frozenset({200, 503}))
