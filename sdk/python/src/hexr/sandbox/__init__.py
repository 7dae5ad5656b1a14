"""Runs code written by AI agents, each call in a fresh sandbox.

>>> import hexr
>>> hexr.sandbox.exec("print(6 * 7)").stdout
'42\\n'
"""

from ._artifact import Artifact
from ._client import AsyncClient, Client
from ._default import aexec, astream, exec, health, stream
from ._errors import (
    AccessDeniedError,
    ConfigurationError,
    DeadlineExceededError,
    ExecutionFailedError,
    InvalidAnswerError,
    InvalidRequestError,
    ProgramError,
    ProgramOutOfMemoryError,
    ProgramTimedOutError,
    QuotaExceededError,
    SandboxError,
    ServiceError,
    UnavailableError,
    UnreachableError,
)
from ._events import Started, Stderr, Stdout, StreamEvent, StreamResult
from ._health import Health, Language, Load, Pool, PoolLevel
from ._result import ExecutionResult, SkippedArtifact
from ._stream import AsyncStream, Stream

__all__ = [
    "AccessDeniedError",
    "Artifact",
    "AsyncClient",
    "AsyncStream",
    "Client",
    "ConfigurationError",
    "DeadlineExceededError",
    "ExecutionFailedError",
    "ExecutionResult",
    "Health",
    "InvalidAnswerError",
    "InvalidRequestError",
    "Language",
    "Load",
    "Pool",
    "PoolLevel",
    "ProgramError",
    "ProgramOutOfMemoryError",
    "ProgramTimedOutError",
    "QuotaExceededError",
    "SandboxError",
    "ServiceError",
    "SkippedArtifact",
    "Started",
    "Stderr",
    "Stdout",
    "Stream",
    "StreamEvent",
    "StreamResult",
    "UnavailableError",
    "UnreachableError",
    "aexec",
    "astream",
    "exec",
    "health",
    "stream",
]
