"""Everything that can go wrong, by who is to act on it.

SandboxError
├── ConfigurationError       an argument or a HEXR_SANDBOX_ variable is not valid
├── UnreachableError         no connection to the service, or it broke
├── DeadlineExceededError    the service did not answer within the call's deadline
├── InvalidAnswerError       what answered does not speak the service's API
├── ServiceError             the service refused or failed
│   ├── InvalidRequestError  400 and its like: the call itself is wrong; never worth a retry
│   ├── AccessDeniedError    401, 403
│   ├── QuotaExceededError   429: retried until the deadline
│   ├── UnavailableError     503: retried until the deadline
│   └── ExecutionFailedError 500 and its like: the run got lost; the program is not to blame
└── ProgramError             raise_for_exit(): the program itself ended badly
    ├── ProgramTimedOutError
    └── ProgramOutOfMemoryError
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._result import Ending


class SandboxError(Exception):
    """Root of all errors of this package. ``code`` is stable: branch on it or on the class, never on the text."""

    code: str = "sandbox_error"


class ConfigurationError(SandboxError):
    code = "invalid_configuration"


class UnreachableError(SandboxError):
    """No connection, or it broke before the answer was complete; then the code may have been run."""

    code = "unreachable"


class DeadlineExceededError(SandboxError):
    """The call as a whole took too long, waiting and retries included; the code may have been run."""

    code = "deadline_exceeded"


class InvalidAnswerError(SandboxError):
    code = "invalid_answer"


class ServiceError(SandboxError):
    """The service's own error (RFC 9457). What answered in its place, such as a proxy, has the code ``http_STATUS``."""

    def __init__(
        self,
        *,
        status: int,
        code: str,
        title: str,
        detail: str,
        field: str | None = None,
        legal: str | None = None,
        retryable: bool = False,
        execution_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        #: the field at fault, such as ``files[2].path``
        self.field = field
        #: what the field may be
        self.legal = legal
        #: whether the same call may well succeed later
        self.retryable = retryable
        self.execution_id = execution_id
        #: seconds that the service asks to wait
        self.retry_after = retry_after

    def __str__(self) -> str:
        text = f"{self.detail} [{self.code}]"
        if self.legal is not None:
            text += f" Legal: {self.legal}"
        if self.execution_id is not None:
            text += f" ({self.execution_id})"
        return text


class InvalidRequestError(ServiceError):
    """The call is wrong: ``field`` and ``legal`` say what to change."""


class AccessDeniedError(ServiceError):
    """The service does not know the caller, or does not serve it."""


class QuotaExceededError(ServiceError):
    """The caller has used up its share for now."""


class UnavailableError(ServiceError):
    """The service is busy, starting, shutting down or broken."""


class ExecutionFailedError(ServiceError):
    """The run got lost; the program is not to blame."""


class ProgramError(SandboxError):
    """The program ended with an exit code other than 0; ``result`` is its ExecutionResult, or the StreamResult of a stream."""

    code = "program_failed"

    def __init__(self, result: Ending) -> None:
        super().__init__(result)
        self.result = result

    def __str__(self) -> str:
        result = self.result
        text = f"the program {self._ending()} ({result.execution_id})"
        last = result._last_words()
        return f"{text}: {last}" if last else text

    def _ending(self) -> str:
        signal = self.result.signal
        return f"was ended by {signal}" if signal is not None else f"exited with {self.result.exit_code}"


class ProgramTimedOutError(ProgramError):
    code = "program_timed_out"

    def _ending(self) -> str:
        return f"was ended at its timeout after {self.result.execution_time_ms} ms"


class ProgramOutOfMemoryError(ProgramError):
    code = "program_out_of_memory"

    def _ending(self) -> str:
        return f"was ended at its memory limit with {self.result.memory_used_mb} MiB"


def service_error(status: int, headers: Mapping[str, str], body: bytes) -> ServiceError:
    """What an answer other than a result means."""
    return _error(status, _problem(headers, body), _seconds(headers.get("retry-after")))


def problem_error(status: int, body: bytes) -> ServiceError:
    """What a problem means that ends a stream."""
    return _error(status, _object(body), None)


def _error(status: int, problem: dict[str, Any], retry_after: float | None) -> ServiceError:
    return _class_of(status)(
        status=status,
        code=_text(problem, "code") or f"http_{status}",
        title=_text(problem, "title") or f"HTTP status {status}",
        detail=_text(problem, "detail") or f"Something answered with status {status} that is not the service.",
        field=_text(problem, "field"),
        legal=_text(problem, "legal"),
        retryable=problem.get("retryable") is True,
        execution_id=_text(problem, "execution_id"),
        retry_after=retry_after,
    )


def _class_of(status: int) -> type[ServiceError]:
    if status in (401, 403):
        return AccessDeniedError
    if status == 429:
        return QuotaExceededError
    if status == 503:
        return UnavailableError
    # the only 5xx that is the caller's: it speaks another version of HTTP
    if 400 <= status < 500 or status == 505:
        return InvalidRequestError
    return ExecutionFailedError if status >= 500 else ServiceError


def _problem(headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
    if headers.get("content-type", "").split(";")[0].strip().lower() != "application/problem+json":
        return {}
    return _object(body)


def _object(body: bytes) -> dict[str, Any]:
    try:
        problem = json.loads(body)
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}


def _text(problem: dict[str, Any], name: str) -> str | None:
    value = problem.get(name)
    return value if isinstance(value, str) else None


def _seconds(retry_after: str | None) -> float | None:
    """Seconds only: the service sends no dates (RFC 9110, section 10.2.3 allows both)."""
    return float(retry_after) if retry_after is not None and retry_after.isascii() and retry_after.isdigit() else None
