from __future__ import annotations

import io
import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import pytest
from fake_service import FakeService, Reply, artifact, problem, result

import hexr
from hexr.cli import main

Run = Callable[..., "tuple[int, str, str]"]
PNG = b"\x89PNG"


@pytest.fixture
def sandbox(
    service: FakeService, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> Run:
    """Runs the command in a directory of its own; gives exit code, stdout and stderr."""
    monkeypatch.setenv("HEXR_SANDBOX_URL", service.url)
    monkeypatch.setenv("HEXR_SANDBOX_MAX_RETRIES", "0")
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object, stdin: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as e:
            code = int(e.code or 0)
        out, err = capsysbinary.readouterr()
        return code, out.decode(), err.decode()

    return run


def written(name: str, content: str | bytes = "print(1)") -> str:
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    return name


def test_a_program_speaks_for_itself(service: FakeService, sandbox: Run) -> None:
    service.replies = [result(stdout="out ä\n", stderr="err\r\n", exit_code=3)]

    assert sandbox("exec", written("a.py")) == (3, "out ä\n", "err\r\n")
    assert service.requests[0].json == {"code": "print(1)", "language": "python", "artifacts": []}


def test_output_is_utf8_whatever_the_terminal_speaks(service: FakeService, tmp_path: Path) -> None:
    service.replies = [result(stdout="ä\ud7ff\n")]
    (tmp_path / "a.py").write_text("x")

    done = subprocess.run(
        [sys.executable, "-m", "hexr.cli", "exec", "a.py"],
        cwd=tmp_path,
        env={**os.environ, **process_environment(service), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=30,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "ä\ud7ff\n".encode(), b"")


def process_environment(service: FakeService) -> dict[str, str]:
    source = Path(hexr.__file__).parents[1]
    return {"PYTHONPATH": str(source), "HEXR_SANDBOX_URL": service.url}


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("a.py", "python"),
        ("a.JS", "javascript"),
        ("a.mjs", "javascript"),
        ("a.cjs", "javascript"),
        ("a.sh", "bash"),
        ("a.bash", "bash"),
    ],
)
def test_the_suffix_tells_the_language(service: FakeService, sandbox: Run, name: str, language: str) -> None:
    assert sandbox("exec", written(name))[0] == 0
    assert service.requests[0].json["language"] == language


def test_everything_that_is_given_is_sent(service: FakeService, sandbox: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FROM_HERE", "there")
    written("in.txt", "input")
    written("data.bin", b"\xff")
    written("b", "text")

    code, _, _ = sandbox(
        *("exec", "-", "--language", "bash", "--timeout", "1.5", "--memory-mb", "64", "--arg=-a", "--arg", "b"),
        *("--env", "A=1=2", "--env", "FROM_HERE", "--stdin", "in.txt", "--file", "data.bin", "--file", "b:d/c"),
        *("--artifact-dir", "out", "--artifact", "*.csv", "--", "--c", "--", "d"),
        stdin=b"echo",
    )

    assert code == 0
    assert service.requests[0].json == {
        "code": "echo",
        "language": "bash",
        "timeout": 1.5,
        "memory_mb": 64,
        "args": ["-a", "b", "--c", "--", "d"],
        "env": {"A": "1=2", "FROM_HERE": "there"},
        "stdin": "input",
        "files": [{"path": "data.bin", "content_base64": "/w=="}, {"path": "d/c", "content_base64": "dGV4dA=="}],
        "artifacts": ["*.csv"],
    }


def test_files_that_come_back_are_saved(service: FakeService, sandbox: Run, tmp_path: Path) -> None:
    service.replies = [
        result(
            artifacts=[artifact("p/a.png", "image/png", PNG)], artifacts_skipped=[{"path": "big.png", "reason": "too_large"}]
        )
    ]

    code, out, err = sandbox("exec", written("a.py"), "--artifact-dir", "new/dir")

    assert (code, out) == (0, "42\n")
    assert (tmp_path / "new/dir/p/a.png").read_bytes() == PNG
    assert err == "sandbox: saved new/dir/p/a.png\nsandbox: big.png did not come back: too_large\n"
    assert "artifacts" not in service.requests[0].json  # the service's own default: images


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"exit_code": 124, "timed_out": True, "signal": "SIGKILL", "limit": "time"}, "ended at its limit of time after 12 ms"),
        ({"exit_code": 139, "signal": "SIGSEGV"}, "ended by SIGSEGV"),
        ({"stdout_truncated": True}, "stdout was longer and is cut"),
    ],
)
def test_what_the_output_does_not_show_is_told(service: FakeService, sandbox: Run, changes: dict[str, Any], note: str) -> None:
    service.replies = [result(**changes)]

    code, _, err = sandbox("exec", written("a.py"))

    assert code == changes.get("exit_code", 0)
    assert f"sandbox: {note}" in err


def test_json_is_the_whole_result(service: FakeService, sandbox: Run) -> None:
    service.replies = [result(stdout="ä", exit_code=3, artifacts=[artifact("a.png", "image/png", PNG)])]

    code, out, err = sandbox("exec", written("a.py"), "--json", "--artifact-dir", "out")

    told = json.loads(out)
    assert (code, err, told["stdout"], told["exit_code"], told["execution_id"]) == (3, "", "ä", 3, "exec-1")
    assert told["artifacts"] == [{"path": "a.png", "media_type": "image/png", "size": 4, "file": "out/a.png"}]


@pytest.mark.parametrize(
    ("reply", "exit_code", "code"),
    [
        (problem(400, "invalid_request", field="timeout", legal="less"), 65, "invalid_request"),
        (problem(401, "unauthenticated"), 77, "unauthenticated"),
        (problem(429, "quota_exceeded"), 69, "quota_exceeded"),
        (problem(503, "queue_full"), 69, "queue_full"),
        (problem(500, "sandbox_failed"), 70, "sandbox_failed"),
        (Reply(200, b"hello", {"Content-Type": "text/html"}), 70, "invalid_answer"),
    ],
)
def test_a_failure_of_the_service_has_an_exit_code_of_its_own(
    service: FakeService, sandbox: Run, reply: Reply, exit_code: int, code: str
) -> None:
    service.replies = [reply]

    plain, out, err = sandbox("exec", written("a.py"))
    assert (plain, out) == (exit_code, "")
    assert re.fullmatch(r"sandbox: .+\n", err)

    structured, out, err = sandbox("exec", written("a.py"), "--json")
    assert (structured, err) == (exit_code, "")
    error = json.loads(out)["error"]
    assert error["code"] == code
    assert ("field" in error) == (code == "invalid_request")


@pytest.mark.parametrize(
    ("arguments", "exit_code", "text"),
    [
        ([], 64, "COMMAND"),
        (["exec"], 64, "FILE"),
        (["exec", "a.py", "--nothing"], 64, "--nothing"),
        (["exec", "a.py", "x", "--y"], 64, "x --y (what is for the program stands after --)"),
        (["exec", "a.py", "--timeout", "soon"], 64, "soon"),
        (["exec", "a.txt"], 64, "--language"),
        (["exec", "-"], 64, "--language"),
        (["exec", "-", "--language", "bash", "--stdin", "-"], 64, "standard input"),
        (["exec", "a.py", "--artifact", "*"], 64, "--artifact-dir"),
        (["exec", "a.py", "--env", "NOT_THERE"], 64, "NOT_THERE"),
        (["exec", "a.py", "--file", "a.txt:x", "--file", "a.py:x"], 64, "two files"),
        (["exec", "none.py"], 66, "none.py cannot be read"),
        (["exec", "latin1.py"], 66, "not UTF-8 at byte 1"),
        (["exec", "a.py", "--file", "none"], 66, "none cannot be read"),
        (["exec", "a.py", "--stdin", "none"], 66, "none cannot be read"),
        (["exec", "a.py", "--artifact-dir", "a.txt"], 73, "a.txt cannot be made"),
        (["exec", "a.py", "--url", "nowhere"], 78, "nowhere"),
    ],
)
def test_a_failure_of_the_command_sends_nothing(
    service: FakeService, sandbox: Run, arguments: list[str], exit_code: int, text: str
) -> None:
    written("a.py")
    written("a.txt")
    written("latin1.py", b"x\xe4")

    code, out, err = sandbox(*arguments)

    assert (code, out) == (exit_code, "")
    assert text in err
    assert service.requests == []


def test_a_service_that_is_not_there_is_unavailable(sandbox: Run) -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        code, _, err = sandbox("exec", written("a.py"), "--url", f"http://127.0.0.1:{bound.getsockname()[1]}")
    assert code == 69
    assert "no connection" in err


def test_an_artifact_that_would_be_put_elsewhere_is_not(service: FakeService, sandbox: Run, tmp_path: Path) -> None:
    service.replies = [result(artifacts=[artifact("../../evil.png", "image/png", PNG)])]

    code, _, err = sandbox("exec", written("a.py"), "--artifact-dir", "below/out")

    assert (code, list(tmp_path.rglob("evil.png"))) == (73, [])
    assert "not safe" in err


def test_a_reader_that_goes_away_ends_the_command_as_it_would_any_other(service: FakeService, tmp_path: Path) -> None:
    service.replies = [result(stdout="x\n" * 100_000)]
    (tmp_path / "a.py").write_text("x")
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "hexr.cli", "exec", "a.py"],
            cwd=tmp_path,
            env={**os.environ, **process_environment(service)},
            stdout=writing,
            stderr=subprocess.PIPE,
            timeout=30,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (128 + 13, b"")


def test_the_help_lists_every_exit_code(sandbox: Run) -> None:
    code, out, _ = sandbox("--help")

    assert code == 0
    assert re.findall(r"^  (\d+)  ", out, re.MULTILINE) == ["64", "65", "66", "69", "70", "73", "77", "78"]
    assert sandbox("--version")[1] == f"sandbox {hexr.__version__}\n"
