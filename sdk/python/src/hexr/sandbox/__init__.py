"""Runs code written by AI agents, each call in a fresh sandbox.

>>> import hexr
>>> hexr.sandbox.exec("print(6 * 7)").stdout
'42\\n'
"""

from ._artifact import Artifact
from ._client import AsyncClient, Client
from ._default import aexec, exec, health
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
from ._health import Health, Language, Load, Pool, PoolLevel
from ._result import ExecutionResult, SkippedArtifact

__all__ = [
    "AccessDeniedError",
    "Artifact",
    "AsyncClient",
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
    "UnavailableError",
    "UnreachableError",
    "aexec",
    "exec",
    "health",
]
