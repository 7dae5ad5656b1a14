from __future__ import annotations

import enum

from hexr.sandbox import (
    AccessDeniedError,
    ConfigurationError,
    DeadlineExceededError,
    InvalidRequestError,
    QuotaExceededError,
    SandboxError,
    UnavailableError,
    UnreachableError,
)


class Exit(enum.IntEnum):
    """Exit codes of the command's own failures, as in sysexits.h. A program may exit with them too: ``--json`` tells."""

    USAGE = 64
    REFUSED = 65
    NO_INPUT = 66
    UNAVAILABLE = 69
    FAILED = 70
    CANNOT_CREATE = 73
    DENIED = 77
    CONFIGURATION = 78


#: For the help text, in the order of the codes.
MEANINGS = {
    Exit.USAGE: "wrong use of this command",
    Exit.REFUSED: "the service refuses the request",
    Exit.NO_INPUT: "a file cannot be read",
    Exit.UNAVAILABLE: "the service cannot be reached, is busy or does not answer in time",
    Exit.FAILED: "the service failed, or is no Sandbox Engine",
    Exit.CANNOT_CREATE: "an artifact or the output cannot be written",
    Exit.DENIED: "the service does not serve this caller",
    Exit.CONFIGURATION: "a HEXR_SANDBOX_ variable or option is not valid",
}


def exit_of(error: SandboxError) -> Exit:
    if isinstance(error, ConfigurationError):
        return Exit.CONFIGURATION
    if isinstance(error, AccessDeniedError):
        return Exit.DENIED
    if isinstance(error, InvalidRequestError):
        return Exit.REFUSED
    if isinstance(error, (UnreachableError, DeadlineExceededError, QuotaExceededError, UnavailableError)):
        return Exit.UNAVAILABLE
    return Exit.FAILED


class CommandError(Exception):
    """A failure of this command itself, with what to print and how to exit."""

    def __init__(self, exit_code: Exit, text: str, code: str) -> None:
        super().__init__(text)
        self.exit_code = exit_code
        self.code = code
