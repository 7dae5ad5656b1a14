from __future__ import annotations

import threading
import time
from typing import Callable

import pytest
from calling import Caller
from fake_service import FakeService, Reply, problem, result

from hexr.sandbox import DeadlineExceededError, QuotaExceededError, SandboxError, UnavailableError
from hexr.sandbox._errors import service_error
from hexr.sandbox._retry import Deadline, Retries


def busy(retry_after: float | None = None) -> UnavailableError:
    headers = {} if retry_after is None else {"retry-after": f"{retry_after:.0f}"}
    error = service_error(503, headers, b"")
    assert isinstance(error, UnavailableError)
    return error


def most(low: float, high: float) -> float:
    return high


def test_the_random_part_of_the_wait_doubles_up_to_a_bound() -> None:
    retries = Retries(8, Deadline(1_000), uniform=most)

    assert [retries.pause(busy()) for _ in range(8)] == [0.25, 0.5, 1, 2, 4, 8, 8, 8]


def test_the_random_part_comes_on_top_of_what_the_service_asks_for() -> None:
    retries = Retries(2, Deadline(1_000), uniform=most)

    assert [retries.pause(busy(3)), retries.pause(busy(3))] == [3.25, 3.5]


def test_the_wait_is_random() -> None:
    assert len({Retries(1, Deadline(1_000)).pause(busy()) for _ in range(20)}) > 1


def test_a_wait_that_would_end_after_the_deadline_is_not_begun() -> None:
    now = 0.0
    retries = Retries(9, Deadline(10, clock=lambda: now), uniform=most)
    error = busy(9)

    assert retries.pause(error) == 9.25
    now = 9.25
    with pytest.raises(UnavailableError) as caught:
        retries.pause(error)
    assert caught.value is error


def test_after_so_many_retries_the_last_error_is_raised() -> None:
    retries = Retries(1, Deadline(1_000))
    retries.pause(busy())

    with pytest.raises(UnavailableError):
        retries.pause(busy())


@pytest.mark.parametrize("status", [400, 408, 500, 502, 504])
def test_no_other_status_is_tried_again(status: int) -> None:
    with pytest.raises(SandboxError):
        Retries(9, Deadline(1_000)).pause(service_error(status, {"retry-after": "1"}, b""))


@pytest.mark.parametrize("text", ["-1", "soon", "Wed, 21 Oct 2026 07:28:00 GMT", "1.5", "\u0661"])
def test_a_retry_after_that_is_no_number_of_seconds_is_not_there(text: str) -> None:
    assert service_error(503, {"retry-after": text}, b"").retry_after is None


def test_the_same_call_is_sent_again_until_it_is_taken(service: FakeService, caller: Caller) -> None:
    service.replies = [problem(503, "queue_full"), problem(429, "quota_exceeded", "1"), result()]
    start = time.monotonic()

    assert caller.exec(service.url, "print(42)").stdout == "42\n"

    assert time.monotonic() - start >= 1
    assert [request.json["code"] for request in service.requests] == ["print(42)"] * 3


def test_a_service_that_asks_for_more_time_than_there_is_gets_no_second_call(service: FakeService, caller: Caller) -> None:
    service.replies = [problem(429, "quota_exceeded", "60")]
    start = time.monotonic()

    with pytest.raises(QuotaExceededError):
        caller.exec(service.url, deadline=30)

    assert time.monotonic() - start < 30
    assert len(service.requests) == 1


def silent(write: Callable[[bytes], object], end: threading.Event) -> None:
    end.wait(20)


def dripping(write: Callable[[bytes], object], end: threading.Event) -> None:
    while not end.wait(0.05):
        write(b" ")


@pytest.mark.parametrize("way", [silent, dripping])
def test_an_answer_that_does_not_come_to_an_end_ends_at_the_deadline(
    service: FakeService, caller: Caller, way: Callable[[Callable[[bytes], object], threading.Event], None]
) -> None:
    end = threading.Event()
    service.replies = [Reply(200, b" " * 10_000, {"Content-Type": "application/json"}, lambda write: way(write, end))]
    start = time.monotonic()
    try:
        with pytest.raises(DeadlineExceededError) as caught:
            caller.exec(service.url, deadline=0.5)
        assert 0.4 < time.monotonic() - start < 15
        assert caught.value.code == "deadline_exceeded"
        # none if the machine stood still before it was sent
        assert len(service.requests) <= 1
    finally:
        end.set()
