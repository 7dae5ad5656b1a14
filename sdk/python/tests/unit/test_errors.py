from __future__ import annotations

import socket
from typing import Any

import pytest
from calling import Caller
from fake_service import RESULT, FakeService, Reply, problem, result

from hexr.sandbox import (
    AccessDeniedError,
    ExecutionFailedError,
    ExecutionResult,
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


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "invalid_request", InvalidRequestError),
        (401, "unauthenticated", AccessDeniedError),
        (403, "forbidden", AccessDeniedError),
        (404, "not_found", InvalidRequestError),
        (413, "body_too_large", InvalidRequestError),
        (429, "quota_exceeded", QuotaExceededError),
        (500, "sandbox_failed", ExecutionFailedError),
        (503, "draining", UnavailableError),
        (505, "http_version_not_supported", InvalidRequestError),
    ],
)
def test_an_error_of_the_service_has_a_class_by_status_and_its_own_code(
    service: FakeService, caller: Caller, status: int, code: str, kind: type[ServiceError]
) -> None:
    service.replies = [problem(status, code, "3", field="f", legal="l", execution_id="exec-7", retryable=True)]

    with pytest.raises(SandboxError) as caught:
        caller.exec(service.url, client={"max_retries": 0})

    error = caught.value
    assert type(error) is kind
    assert isinstance(error, ServiceError)
    assert (error.status, error.code, error.title, error.detail) == (status, code, "T", "D.")
    assert (error.field, error.legal, error.execution_id, error.retryable, error.retry_after) == ("f", "l", "exec-7", True, 3)
    assert str(error) == f"D. [{code}] Legal: l (exec-7)"


@pytest.mark.parametrize(
    ("status", "body", "media_type", "kind"),
    [
        (503, b"upstream connect error", "text/plain", UnavailableError),
        (502, b"<html>", "text/html", ExecutionFailedError),
        (404, b"{}", "application/json", InvalidRequestError),
        (500, b"[]", "application/problem+json", ExecutionFailedError),
        (500, b"{", "application/problem+json", ExecutionFailedError),
        (302, b"", "text/plain", ServiceError),
    ],
)
def test_what_answers_in_place_of_the_service_gets_a_code_of_its_status(
    service: FakeService, caller: Caller, status: int, body: bytes, media_type: str, kind: type[ServiceError]
) -> None:
    service.replies = [Reply(status, body, {"Content-Type": media_type, "Location": "/x"})]

    with pytest.raises(ServiceError) as caught:
        caller.exec(service.url, client={"max_retries": 0})

    assert type(caught.value) is kind
    assert caught.value.code == f"http_{status}"


def test_a_service_that_is_not_there_is_unreachable(caller: Caller) -> None:
    with socket.socket() as bound:  # a port that nobody listens on, and nobody else can take meanwhile
        bound.bind(("127.0.0.1", 0))
        with pytest.raises(UnreachableError) as caught:
            caller.exec(f"http://127.0.0.1:{bound.getsockname()[1]}")
    assert caught.value.code == "unreachable"


def test_an_answer_that_breaks_off_is_unreachable_and_not_tried_again(service: FakeService, caller: Caller) -> None:
    service.replies = [
        Reply(200, b"x" * 100, {"Content-Type": "application/json", "Connection": "close"}, lambda write: write(b"x"))
    ]

    with pytest.raises(UnreachableError, match="broke"):
        caller.exec(service.url)
    assert len(service.requests) == 1


def ended(service: FakeService, **changes: Any) -> ExecutionResult:
    service.replies = [result(**changes)]
    return Caller("blocking").exec(service.url)


def test_raise_for_exit_gives_back_a_result_that_is_good(service: FakeService) -> None:
    good = ended(service)
    assert good.raise_for_exit() is good
    assert good.execution_id == RESULT["execution_id"]


@pytest.mark.parametrize(
    ("changes", "kind", "code", "text"),
    [
        (
            {"exit_code": 1, "stderr": "Traceback\nValueError: no\n"},
            ProgramError,
            "program_failed",
            "the program exited with 1 (exec-1): ValueError: no",
        ),
        ({"exit_code": 139, "signal": "SIGSEGV"}, ProgramError, "program_failed", "the program was ended by SIGSEGV (exec-1)"),
        (
            {"exit_code": 124, "timed_out": True, "signal": "SIGKILL", "execution_time_ms": 501},
            ProgramTimedOutError,
            "program_timed_out",
            "the program was ended at its timeout after 501 ms (exec-1)",
        ),
        (
            {"exit_code": 137, "oom_killed": True, "signal": "SIGKILL", "memory_used_mb": 64.0},
            ProgramOutOfMemoryError,
            "program_out_of_memory",
            "the program was ended at its memory limit with 64.0 MiB (exec-1)",
        ),
    ],
)
def test_raise_for_exit_raises_how_the_program_ended(
    service: FakeService, changes: dict[str, Any], kind: type[ProgramError], code: str, text: str
) -> None:
    bad = ended(service, **changes)

    with pytest.raises(ProgramError) as caught:
        bad.raise_for_exit()

    assert type(caught.value) is kind
    assert caught.value.code == code
    assert caught.value.result is bad
    assert str(caught.value) == text
