"""The SDK against a running engine."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from IPython.core.formatters import DisplayFormatter

from hexr import sandbox

PLOT = """
import matplotlib.pyplot as plt
plt.plot([1, 4, 9])
plt.savefig("plots/squares.png")
"""


@pytest.fixture
def client(url: str) -> sandbox.Client:
    return sandbox.Client(url)


def test_everything_a_program_can_be_given_reaches_it(client: sandbox.Client, tmp_path: Path) -> None:
    (tmp_path / "local.bin").write_bytes(bytes(range(256)))
    with client:
        result = client.exec(
            'echo "$1 $GREETING $(cat) $(cat text.txt) $(wc -c < d/local.bin)"; echo data > out.csv; echo oops >&2; exit 3',
            "bash",
            timeout=10,
            memory_mb=64,
            args=["first arg"],
            env={"GREETING": "hello"},
            stdin="wörld",
            files={"text.txt": "from a file", "d/local.bin": tmp_path / "local.bin"},
            artifacts=["*.csv"],
        )

    assert result.stdout == "first arg hello wörld from a file 256\n"
    assert (result.stderr, result.exit_code, result.language) == ("oops\n", 3, "bash")
    assert [(file.path, file.media_type, file.content) for file in result.artifacts] == [("out.csv", "text/csv", b"data\n")]
    with pytest.raises(sandbox.ProgramError, match=r"exited with 3 .*: oops"):
        result.raise_for_exit()


def test_a_plot_comes_back_is_saved_and_shows_itself_in_ipython(client: sandbox.Client, tmp_path: Path) -> None:
    with client:
        result = client.exec(PLOT, files={"plots/.keep": ""}).raise_for_exit()

    (plot,) = result.artifacts
    saved = plot.save(tmp_path)
    assert saved == tmp_path / "plots" / "squares.png"
    assert saved.read_bytes().startswith(b"\x89PNG\r\n")
    formatter = DisplayFormatter()
    assert {"image/png", "text/html"} <= formatter.format(plot)[0].keys()  # type: ignore[no-untyped-call]
    assert "data:image/png;base64," in formatter.format(result)[0]["text/html"]  # type: ignore[no-untyped-call]


def test_a_program_that_times_out_is_a_result_and_an_error_only_when_asked_for(client: sandbox.Client) -> None:
    with client:
        result = client.exec("print('before')\nwhile True: pass", timeout=4)

    assert (result.stdout, result.exit_code, result.timed_out, result.limit) == ("before\n", 124, True, "time")
    with pytest.raises(sandbox.ProgramTimedOutError):
        result.raise_for_exit()


def test_a_refused_request_names_the_field_and_what_is_legal(client: sandbox.Client) -> None:
    with client, pytest.raises(sandbox.InvalidRequestError) as caught:
        client.exec("x", "ruby")

    error = caught.value
    assert (error.code, error.field, error.legal) == ("invalid_request", "language", "python, javascript, bash")


def test_calls_of_one_event_loop_run_at_the_same_time(url: str) -> None:
    async def run() -> None:
        async with sandbox.AsyncClient(url) as client:
            calls = [asyncio.create_task(client.exec("import time; time.sleep(29)")) for _ in range(2)]
            end = time.monotonic() + 25
            while (await client.health()).load.running < 2:
                assert time.monotonic() < end, "the second one waits for the first"
                await asyncio.sleep(0.02)
            for call in calls:
                call.cancel()

    asyncio.run(run())


def test_health_is_that_of_the_engine(client: sandbox.Client) -> None:
    with client:
        health = client.health()

    assert health.ok
    assert [language.language for language in health.languages] == ["python", "javascript", "bash"]
    assert health.load.capacity >= 1
