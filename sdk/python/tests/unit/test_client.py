from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from fake_service import FakeService, Reply, problem, result

import hexr
from hexr.sandbox import Pool, PoolLevel, _default


@pytest.fixture
def fresh_default(service: FakeService, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeService]:
    monkeypatch.setenv("HEXR_SANDBOX_URL", service.url)
    monkeypatch.setattr(_default, "_made", None)
    yield service
    _default._default().close()


def test_calls_of_one_client_share_a_connection(service: FakeService) -> None:
    with hexr.sandbox.Client(service.url) as client:
        for _ in range(3):
            client.exec("x")
    assert (len(service.requests), service.connections) == (3, 1)


def test_calls_of_one_asynchronous_client_share_a_connection(service: FakeService) -> None:
    async def run() -> None:
        async with hexr.sandbox.AsyncClient(service.url) as client:
            for _ in range(3):
                await client.exec("x")

    asyncio.run(run())
    assert (len(service.requests), service.connections) == (3, 1)


def test_a_closed_client_takes_no_more_calls(service: FakeService) -> None:
    with hexr.sandbox.Client(service.url) as client:
        client.exec("x")
    with pytest.raises(RuntimeError, match="closed"):
        client.exec("x")


def test_proxies_of_the_environment_are_not_used(service: FakeService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with hexr.sandbox.Client(service.url) as client:
        assert client.exec("x").ok


def test_an_http_client_of_ones_own_is_used_and_not_closed(service: FakeService) -> None:
    with httpx.Client(headers={"X-Mine": "1"}) as own:
        with hexr.sandbox.Client(service.url, http_client=own) as client:
            client.exec("x")
        assert not own.is_closed
    assert service.requests[0].headers["x-mine"] == "1"


def test_the_functions_use_one_client_made_at_the_first_call(fresh_default: FakeService) -> None:
    assert _default._made is None

    assert hexr.sandbox.exec("x").stdout == "42\n"
    first = _default._made
    hexr.sandbox.exec("x")

    assert _default._made is first is not None
    assert fresh_default.connections == 1


def test_the_functions_follow_their_variables(fresh_default: FakeService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEXR_SANDBOX_URL", "http://127.0.0.1:1")
    with pytest.raises(hexr.sandbox.UnreachableError):
        hexr.sandbox.exec("x")
    _default._default().close()

    monkeypatch.setenv("HEXR_SANDBOX_URL", fresh_default.url)

    assert hexr.sandbox.exec("x").stdout == "42\n"


def test_many_threads_get_the_same_default_client_and_each_its_own_answer(fresh_default: FakeService) -> None:
    answer = fresh_default.answer

    def echo(request: Any) -> Reply:
        answer(request)
        return result(stdout=request.json["code"])

    fresh_default.answer = echo  # type: ignore[method-assign]
    start = threading.Barrier(16)

    def run(number: int) -> tuple[int, str]:
        start.wait(10)
        return id(_default._default()), hexr.sandbox.exec(str(number)).stdout

    with ThreadPoolExecutor(16) as pool:
        got = list(pool.map(run, range(16)))

    assert len({client for client, _ in got}) == 1
    assert [text for _, text in got] == [str(number) for number in range(16)]


def test_aexec_works_in_one_event_loop_after_the_other(fresh_default: FakeService) -> None:
    for _ in range(3):
        assert asyncio.run(hexr.sandbox.aexec("x")).stdout == "42\n"


def test_a_cancelled_aexec_ends_at_once_and_lets_go_of_its_connection(fresh_default: FakeService) -> None:
    end = threading.Event()
    fresh_default.replies = [Reply(200, b" ", {"Content-Type": "application/json"}, lambda _: end.wait(20))]

    async def run() -> None:
        await asyncio.wait_for(hexr.sandbox.aexec("x"), 0.3)

    try:
        with pytest.raises(asyncio.TimeoutError):
            asyncio.run(run())
    finally:
        end.set()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_does_not_speak_on_the_connections_of_its_parent(fresh_default: FakeService) -> None:
    hexr.sandbox.exec("parent")
    own = hexr.sandbox.Client(fresh_default.url)
    own.exec("parent")
    reading, writing = os.pipe()
    with _default._lock:  # as another thread might hold it
        child = os.fork()
        if child == 0:
            os._exit(_run_child(writing, own))
    os.close(writing)
    with os.fdopen(reading) as answers:
        told = json.load(answers)
    _, status = os.waitpid(child, 0)
    hexr.sandbox.exec("parent again")
    own.close()

    assert (status, told) == (0, ["42\n", "42\n"])
    # two of the parent, two of the child, and the parent's first still serves
    assert fresh_default.connections == 4


def _run_child(writing: int, own: hexr.sandbox.Client) -> int:
    try:
        told = [hexr.sandbox.exec("child").stdout, own.exec("child").stdout]
        os.write(writing, json.dumps(told).encode())
        return 0
    except BaseException as e:
        sys.stderr.write(f"{e!r}\n")
        return 1


POOL = {
    "memory_mb": 512,
    "used_mb": 99,
    "failures": 0,
    "languages": [{"language": "python", "ready": 1, "refilling": 0, "target": 2}],
}


def health(status: str) -> bytes:
    body = {
        "status": status,
        "reason": None if status == "ok" else "because",
        "version": "1.2.3",
        "backend": "gvisor",
        "backend_version": "1",
        "backend_reason": "no KVM",
        "isolation": "user_space_kernel",
        "languages": [{"language": "python", "version": "3.11.2", "packages": {"numpy": "1.24.2"}}],
        "load": {"capacity": 4, "running": 1, "queue_length": 256, "waiting": 0},
        "pool": None if status == "draining" else POOL,
    }
    return json.dumps(body).encode()


@pytest.mark.parametrize(("code", "status"), [(200, "ok"), (503, "draining")])
def test_health_is_an_answer_whether_the_service_runs_code_or_not(fresh_default: FakeService, code: int, status: str) -> None:
    fresh_default.replies = [Reply(code, health(status), {"Content-Type": "application/json"})]

    told = hexr.sandbox.health()

    assert fresh_default.requests[0].path == "/health"
    assert (told.status, told.ok, told.reason) == (status, status == "ok", None if status == "ok" else "because")
    assert told.languages[0].packages == {"numpy": "1.24.2"}
    assert told.pool == (None if status == "draining" else Pool(512, 99, 0, (PoolLevel("python", 1, 0, 2),)))
    assert (told.load.capacity, told.load.running, told.load.queue_length, told.load.waiting) == (4, 1, 256, 0)


def test_health_that_cannot_be_told_is_an_error(fresh_default: FakeService) -> None:
    fresh_default.replies = [problem(500, "internal")]

    async def run() -> None:
        async with hexr.sandbox.AsyncClient() as client:
            await client.health()

    with pytest.raises(hexr.sandbox.ExecutionFailedError):
        hexr.sandbox.health()
    with pytest.raises(hexr.sandbox.ExecutionFailedError):
        asyncio.run(run())
