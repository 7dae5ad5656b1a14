"""Streams of a running engine."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import pytest

import hexr
from hexr import sandbox

ENDED_WITHIN_SECONDS = 20


def text(events: list[sandbox.StreamEvent], kind: type[sandbox.Stdout | sandbox.Stderr]) -> str:
    return "".join(event.text for event in events if isinstance(event, kind))


def await_nothing_running(url: str) -> None:
    """A run that is not ended by its client would go on for longer than this waits."""
    end = time.monotonic() + ENDED_WITHIN_SECONDS
    with sandbox.Client(url) as client:
        while client.health().load.running > 0:
            assert time.monotonic() < end, "the abandoned run goes on"
            time.sleep(0.02)


@pytest.mark.parametrize(
    ("code", "size"),
    [("for i in range(100_000): print(i)", 588_890), ("print('x' * (1 << 20), end='')", 1 << 20)],
)
def test_output_is_streamed_in_flat_memory(url: str, code: str, size: int) -> None:
    with sandbox.Client(url) as client, client.stream("pass") as first:
        list(first)
        tracemalloc.start()
        seen = 0
        with client.stream(code) as run:
            for event in run:
                seen += len(event.text) if isinstance(event, sandbox.Stdout) else 0
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert (seen, run.result.exit_code) == (size, 0)
    assert run.result.timings_ms["total"]
    # an event has 256 KiB at most, which are bytes, then a line, then text here
    assert peak < 4 << 20


def test_a_stream_says_what_the_complete_answer_says(url: str) -> None:
    code = "import sys; print('ä€😀'); print('err', file=sys.stderr); open('a.csv', 'w').write('1'); sys.exit(3)"
    with sandbox.Client(url) as client:
        complete = client.exec(code, artifacts=["*.csv"])
        with client.stream(code, artifacts=["*.csv"]) as run:
            events = list(run)

    assert text(events, sandbox.Stdout) == complete.stdout
    assert text(events, sandbox.Stderr) == complete.stderr
    assert [event for event in events if isinstance(event, sandbox.Artifact)] == list(complete.artifacts)
    with pytest.raises(sandbox.ProgramError):
        run.result.raise_for_exit()


def test_leaving_a_stream_ends_its_run(url: str) -> None:
    with sandbox.Client(url) as client, client.stream("print(1, flush=True); import time; time.sleep(29)") as run:
        for event in run:
            if isinstance(event, sandbox.Stdout):
                break
    await_nothing_running(url)


def test_leaving_an_asynchronous_stream_ends_its_run(url: str) -> None:
    async def leave() -> None:
        async with sandbox.AsyncClient(url) as client, await client.stream("import time; time.sleep(29)") as run:
            async for event in run:
                assert isinstance(event, sandbox.Started)
                break

    asyncio.run(leave())
    await_nothing_running(url)


def test_a_cancelled_call_ends_its_run(url: str) -> None:
    async def cancelled() -> None:
        async with sandbox.AsyncClient(url) as client:
            call = asyncio.create_task(client.exec("import time; time.sleep(29)"))
            while (await client.health()).load.running == 0:
                await asyncio.sleep(0.02)
            call.cancel()

    asyncio.run(cancelled())
    await_nothing_running(url)


def test_the_command_passes_output_on_as_it_comes(url: str) -> None:
    program = "print('first', flush=True)\nimport time; time.sleep(29)"
    command = subprocess.Popen(
        [sys.executable, "-m", "hexr.cli", "exec", "--url", url, "--language", "python", "-"],
        env={**os.environ, "PYTHONPATH": str(Path(hexr.__file__).parents[1])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert command.stdin is not None
    assert command.stdout is not None
    with command:
        command.stdin.write(program.encode())
        command.stdin.close()
        assert command.stdout.readline() == b"first\n"
        command.terminate()
    await_nothing_running(url)
