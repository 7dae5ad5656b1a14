from __future__ import annotations

import asyncio
import threading
from typing import Any, Callable

import pytest
from calling import Caller
from fake_service import RESULT, FakeService, Reply, artifact, event, events, problem, result, stream

from hexr import sandbox

RUN = {**RESULT, "stdout": "a\n", "stderr": "b", "exit_code": 3, "artifacts": [artifact("p.csv", "text/csv", b"1")]}


def test_a_stream_is_read_as_typed_events_and_has_a_result(service: FakeService, caller: Caller) -> None:
    service.replies = [events(*stream(RUN))]

    told, run = caller.stream(service.url, "print(1)", memory_mb=64)

    assert told[:-1] == [
        sandbox.Started("exec-1", "python", 30.0, 256),
        sandbox.Stdout("a\n"),
        sandbox.Stderr("b"),
        sandbox.Artifact("p.csv", "text/csv", b"1"),
    ]
    assert told[-1] is run.result
    assert (run.result.exit_code, run.result.ok, run.result.execution_time_ms) == (3, False, 12)
    assert run.result.timings_ms == {"queue": 0.1, "resume": None, "total": 12.5}
    with pytest.raises(sandbox.ProgramError, match=r"exited with 3 \(exec-1\)"):
        run.result.raise_for_exit()
    (request,) = service.requests
    assert request.headers["accept"] == "text/event-stream"
    assert request.json == {"code": "print(1)", "language": "python", "memory_mb": 64}


def test_heartbeats_and_events_of_a_later_service_are_passed_over(service: FakeService, caller: Caller) -> None:
    pieces = stream(RUN)
    service.replies = [events(pieces[0], b": heartbeat\n\n", event(2, "progress", {"percent": 5}), *pieces[1:])]

    told, _ = caller.stream(service.url)

    assert len(told) == len(pieces)


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_events_are_the_same_however_they_arrive(service: FakeService, caller: Caller, size: int) -> None:
    body = b"".join(stream({**RUN, "stdout": "ä\u2028😀\n"}))

    def send(write: Callable[[bytes], object]) -> None:
        for start in range(0, len(body), size):
            write(body[start : start + size])

    service.replies = [Reply(200, body, {"Content-Type": "text/event-stream"}, send)]

    told, _ = caller.stream(service.url)

    assert told[1] == sandbox.Stdout("ä\u2028😀\n")


def test_the_error_of_a_stream_is_raised_with_its_code(service: FakeService, caller: Caller) -> None:
    error = {
        "status": 500,
        "code": "sandbox_failed",
        "title": "T",
        "detail": "lost",
        "retryable": True,
        "execution_id": "exec-1",
    }
    service.replies = [events(stream(RUN)[0], event(2, "error", error))]

    with pytest.raises(sandbox.ExecutionFailedError, match=r"lost \[sandbox_failed\] \(exec-1\)"):
        caller.stream(service.url)
    assert len(service.requests) == 1


def test_an_error_before_the_stream_is_raised_by_the_call(service: FakeService, caller: Caller) -> None:
    service.replies = [problem(400, "invalid_request", field="timeout")]

    with pytest.raises(sandbox.InvalidRequestError) as caught:
        caller.stream(service.url)
    assert caught.value.field == "timeout"


def test_a_busy_service_is_asked_again_before_the_stream_begins(service: FakeService, caller: Caller) -> None:
    service.replies = [problem(503, "queue_full", "0"), problem(429, "rate_limited", "0"), events(*stream(RUN))]

    _, run = caller.stream(service.url)

    assert run.result.exit_code == 3
    assert len(service.requests) == 3


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (events(*stream(RUN)[:-1]), sandbox.UnreachableError),
        (events(b"event: result\ndata: {}\n\n"), sandbox.InvalidAnswerError),
        (events(b"event: stdout\ndata: text\n\n"), sandbox.InvalidAnswerError),
        (events(), sandbox.UnreachableError),
        (Reply(200, b"<html>", {"Content-Type": "text/html"}), sandbox.InvalidAnswerError),
    ],
)
def test_what_is_no_whole_stream_is_no_result(
    service: FakeService, caller: Caller, reply: Reply, error: type[sandbox.SandboxError]
) -> None:
    service.replies = [reply]

    with pytest.raises(error):
        caller.stream(service.url)


def test_a_stream_ends_by_the_deadline_of_the_call(service: FakeService, caller: Caller) -> None:
    stopped = threading.Event()

    def trickle(write: Callable[[bytes], object]) -> None:
        while not stopped.wait(0.01):
            write(b": heartbeat\n\n")

    service.replies = [Reply(200, b"x" * 1_000_000, {"Content-Type": "text/event-stream"}, trickle)]

    try:
        with pytest.raises(sandbox.DeadlineExceededError):
            caller.stream(service.url, deadline=0.3)
    finally:
        stopped.set()


def test_closing_a_stream_closes_its_connection(service: FakeService) -> None:
    left = threading.Event()

    def send(write: Callable[[bytes], object]) -> None:
        try:
            write(stream(RUN)[0])
            while True:
                write(b": heartbeat\n\n")
        except OSError:
            left.set()

    service.replies = [Reply(200, b"x" * 1_000_000, {"Content-Type": "text/event-stream"}, send), result()]

    with sandbox.Client(service.url) as client:
        with client.stream("x") as run:
            assert isinstance(next(run), sandbox.Started)
            with pytest.raises(sandbox.SandboxError, match="read all of its events"):
                _ = run.result
        assert left.wait(10), "the service still writes"
        assert client.exec("y").stdout == "42\n"


def test_the_functions_of_the_module_stream_too(service: FakeService, monkeypatch: pytest.MonkeyPatch) -> None:

    monkeypatch.setenv("HEXR_SANDBOX_URL", service.url)
    service.replies = [events(*stream(RUN))]

    async def run() -> list[Any]:
        async with sandbox.astream("x") as events_of:
            return [event async for event in events_of]

    assert len(asyncio.run(run())) == 5
