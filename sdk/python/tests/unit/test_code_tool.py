from __future__ import annotations

from typing import Any

import pytest
from fake_service import FakeService, artifact, problem, result

from hexr.sandbox import Client, ExecutionFailedError, ExecutionResult
from hexr.tools._code_tool import CodeTool


def told(service: FakeService, **changes: Any) -> str:
    service.replies = [result(**changes)]
    with Client(service.url) as client:
        return CodeTool(client, None, None, None).run("x", "python")[0]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "The program exited with 0.\nstdout:\n42\n"),
        ({"stdout": ""}, "The program exited with 0 and printed nothing."),
        ({"exit_code": 1, "stderr": "oh"}, "The program exited with 1.\nstdout:\n42\n\nstderr:\noh"),
        ({"exit_code": 124, "timed_out": True, "stdout": ""}, "The program was ended at its time limit after 12 ms."),
        ({"exit_code": 137, "oom_killed": True, "stdout": ""}, "The program was ended at its memory limit with 34.0 MiB."),
        ({"stdout_truncated": True}, "The program exited with 0.\nstdout:\n42\n\nThere was more output than is kept."),
        (
            {"stdout": "", "artifacts": [artifact("a.png", "image/png", b"x")]},
            "The program exited with 0 and printed nothing.\nFiles that came back: a.png",
        ),
    ],
)
def test_a_model_reads_how_its_program_ended(service: FakeService, changes: dict[str, Any], text: str) -> None:
    assert told(service, **changes) == text


def test_a_model_reads_the_beginning_and_the_end_of_long_output(service: FakeService) -> None:
    text = told(service, stdout="a" * 9_000 + "b" * 9_000)

    assert "\n… 8000 characters are left out …\n" in text
    assert len(text) < 11_000


def test_what_the_model_can_mend_is_told_to_it_and_the_rest_to_its_operator(service: FakeService) -> None:
    with Client(service.url) as client:
        tool = CodeTool(client, 5, 64, None)
        service.replies = [problem(400, "invalid_request", field="code", legal="less")]
        assert tool.run("x", "python") == ("The program was not run. D. [invalid_request] Legal: less", None)
        service.replies = [problem(500, "sandbox_failed")]
        with pytest.raises(ExecutionFailedError):
            tool.run("x", "python")
    assert service.requests[0].json == {"code": "x", "language": "python", "timeout": 5, "memory_mb": 64}


def test_whoever_runs_the_agent_gets_the_result_too(service: FakeService) -> None:
    got: list[ExecutionResult] = []
    with Client(service.url) as client:
        CodeTool(client, None, None, got.append).run("x", "python")

    assert [one.stdout for one in got] == ["42\n"]
