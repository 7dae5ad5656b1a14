from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from calling import Caller
from fake_service import RESULT, FakeService, Reply, artifact, result

from hexr.sandbox import Artifact, InvalidAnswerError, SkippedArtifact


def test_only_what_is_given_is_sent(service: FakeService, caller: Caller) -> None:
    caller.exec(service.url, "print(1)")

    (request,) = service.requests
    assert (request.method, request.path) == ("POST", "/api/v1/exec")
    assert request.headers["content-type"] == "application/json"
    assert request.json == {"code": "print(1)", "language": "python"}


def test_everything_that_is_given_is_sent(service: FakeService, caller: Caller, tmp_path: Path) -> None:
    local = tmp_path / "here.bin"
    local.write_bytes(b"\x00\xff")

    caller.exec(
        service.url + "/",
        "ä",
        language="bash",
        timeout=1.5,
        memory_mb=64,
        args=("a", ""),
        env={"K": "V"},
        stdin="in",
        files={"t.txt": "text", "b.bin": b"\x01", "d/l.bin": local},
        artifacts=["*.csv"],
    )

    assert service.requests[0].json == {
        "code": "ä",
        "language": "bash",
        "timeout": 1.5,
        "memory_mb": 64,
        "args": ["a", ""],
        "env": {"K": "V"},
        "stdin": "in",
        "files": [
            {"path": "t.txt", "content": "text"},
            {"path": "b.bin", "content_base64": "AQ=="},
            {"path": "d/l.bin", "content_base64": "AP8="},
        ],
        "artifacts": ["*.csv"],
    }


def test_no_artifacts_is_not_the_same_as_the_default(service: FakeService, caller: Caller) -> None:
    caller.exec(service.url, artifacts=[])

    assert service.requests[0].json["artifacts"] == []


def test_half_a_surrogate_pair_reaches_the_service_which_says_what_is_wrong(service: FakeService, caller: Caller) -> None:
    caller.exec(service.url, "\ud800")

    assert service.requests[0].json["code"] == "\ud800"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"args": "abc"}, TypeError),
        ({"artifacts": "*.png"}, TypeError),
        ({"files": {"a": 1}}, TypeError),
        ({"files": {"a": Path("/nonexistent/file")}}, FileNotFoundError),
        ({"timeout": math.nan}, ValueError),
        ({"env": {"a": object()}}, TypeError),
    ],
)
def test_what_cannot_be_sent_is_not_sent(
    service: FakeService, caller: Caller, arguments: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        caller.exec(service.url, **arguments)
    assert service.requests == []


def test_every_field_of_an_answer_is_in_the_result(service: FakeService, caller: Caller) -> None:
    changes: dict[str, Any] = {
        "stdout": "é\u0000",
        "stderr": "e",
        "exit_code": 137,
        "memory_used_mb": 64.5,
        "oom_killed": True,
        "signal": "SIGKILL",
        "stdout_truncated": True,
        "stderr_truncated": True,
        "limit": "memory",
    }
    service.replies = [
        result(
            **changes,
            artifacts=[artifact("a/b.png", "image/png", b"\x01\x02")],
            artifacts_skipped=[{"path": "big", "reason": "too_large"}],
        )
    ]

    got = caller.exec(service.url)

    assert {name: getattr(got, name) for name in changes} == changes
    assert got.artifacts == (Artifact("a/b.png", "image/png", b"\x01\x02"),)
    assert got.artifacts_skipped == (SkippedArtifact("big", "too_large"),)
    assert not got.ok


def test_fields_of_a_later_version_are_ignored(service: FakeService, caller: Caller) -> None:
    service.replies = [result(new_field={"x": 1})]

    assert caller.exec(service.url).stdout == "42\n"


MISSING = object()
ILL_FIELDS = [
    (name, value)
    for name in sorted(RESULT.keys() - {"signal", "limit"})
    for value in (MISSING, None, True, [], 1.5, "1")
    if type(value) is not type(RESULT[name]) and (name, value) != ("memory_used_mb", 1.5)
]


@pytest.mark.parametrize(("name", "value"), [*ILL_FIELDS, ("signal", 9), ("limit", True)])
def test_a_field_that_is_missing_or_of_another_type_is_an_invalid_answer(
    service: FakeService, name: str, value: object
) -> None:
    body = {**RESULT, name: value}
    if value is MISSING:
        del body[name]
    service.replies = [Reply(200, json.dumps(body).encode(), {"Content-Type": "application/json"})]

    with pytest.raises(InvalidAnswerError, match=name):
        Caller("blocking").exec(service.url)


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        (b"<html>welcome</html>", "text/html"),
        (b"", "application/json"),
        (b"[]", "application/json"),
        (b'{"stdout": "', "application/json"),
        (b"\xff", "application/json"),
        (
            json.dumps({**RESULT, "artifacts": [{**artifact("a", "b", b"c"), "content_base64": "!"}]}).encode(),
            "application/json",
        ),
    ],
)
def test_an_answer_that_is_no_result_is_never_made_into_one(
    service: FakeService, caller: Caller, body: bytes, media_type: str
) -> None:
    service.replies = [Reply(200, body, {"Content-Type": media_type})]

    with pytest.raises(InvalidAnswerError) as caught:
        caller.exec(service.url)
    assert caught.value.code == "invalid_answer"
