"""A running engine answers as its contract, openapi.yaml, says. What needs no running engine is in OpenApiTest.java."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import openapi_spec_validator
import pytest
import yaml

HERE = Path(__file__).parent
DOCUMENT = HERE.parents[3] / "engine/src/main/resources/openapi.yaml"
API: dict[str, Any] = yaml.safe_load(DOCUMENT.read_text(encoding="utf-8"))
EXEC = API["paths"]["/api/v1/exec"]["post"]
REQUESTS = EXEC["requestBody"]["content"]["application/json"]["examples"]
RESULTS = EXEC["responses"]["200"]["content"]["application/json"]["examples"]
STREAMS = EXEC["responses"]["200"]["content"]["text/event-stream"]["examples"]
SCHEMAS_OF_EVENTS = {
    "start": "StreamStart",
    "stdout": "StreamOutput",
    "stderr": "StreamOutput",
    "artifact": "Artifact",
    "result": "StreamResult",
    "error": "Problem",
}
DIFFER_EACH_TIME = {"execution_id", "execution_time_ms", "memory_used_mb", "timings_ms"}

ILL_REQUESTS = {
    "invalid_request": ('{"code": "print(1)", "language": "ruby"}', "application/json"),
    "invalid_json": ('{"code": "print(1)"', "application/json"),
    "unsupported_media_type": ("print(1)", "text/plain"),
}

# The engine of these tests serves everybody; such answers are in MutualTlsTest.java.
NEED_AUTHENTICATION = {"unauthenticated"}


def validate(value: object, schema: str) -> None:
    resolved = {"$ref": "#/components/schemas/" + schema, "components": API["components"]}
    jsonschema.validate(value, resolved, cls=jsonschema.Draft202012Validator)


def post(url: str, body: str | dict[str, Any], media_type: str = "application/json") -> httpx.Response:
    if isinstance(body, dict):
        return httpx.post(url + "/api/v1/exec", json=body, timeout=60)
    return httpx.post(url + "/api/v1/exec", content=body, headers={"Content-Type": media_type}, timeout=60)


def test_the_contract_is_valid_openapi() -> None:
    openapi_spec_validator.validate(API)


def test_the_engine_serves_the_contract_with_its_own_version(url: str) -> None:
    served = httpx.get(url + "/openapi.yaml")
    assert served.headers["content-type"] == "application/yaml"
    document = yaml.safe_load(served.text)
    version = httpx.get(url + "/health").json()["version"]
    assert document == {**API, "info": {**API["info"], "version": version}}


@pytest.mark.parametrize("name", REQUESTS)
def test_every_example_of_a_request_gets_the_result_that_is_printed(url: str, name: str) -> None:
    request, printed = REQUESTS[name]["value"], RESULTS[name]["value"]
    validate(request, "ExecutionRequest")
    validate(printed, "ExecutionResult")

    answer = post(url, request)

    assert answer.status_code == 200, answer.text
    validate(answer.json(), "ExecutionResult")
    same = {key: value for key, value in answer.json().items() if key not in DIFFER_EACH_TIME}
    assert same == {key: value for key, value in printed.items() if key not in DIFFER_EACH_TIME}


def events(stream: str) -> list[tuple[str, dict[str, Any]]]:
    """Name and data of each; the ids are those of counting."""
    told = [dict(line.split(": ", 1) for line in event.split("\n")) for event in stream.removesuffix("\n\n").split("\n\n")]
    assert [event["id"] for event in told] == [str(number) for number in range(1, len(told) + 1)]
    return [(event["event"], json.loads(event["data"])) for event in told]


def test_a_stream_has_the_events_that_are_printed(url: str) -> None:
    printed = events(STREAMS["everything"]["value"])
    answer = httpx.post(
        url + "/api/v1/exec", json=REQUESTS["everything"]["value"], headers={"Accept": "text/event-stream"}, timeout=60
    )

    assert answer.headers["content-type"] == "text/event-stream"
    told = events(answer.text)
    assert [name for name, _ in told] == [name for name, _ in printed]
    for (name, data), (_, example) in zip(told, printed):
        validate(data, SCHEMAS_OF_EVENTS[name])
        validate(example, SCHEMAS_OF_EVENTS[name])
        same = data.keys() - DIFFER_EACH_TIME
        assert {key: data[key] for key in same} == {key: example[key] for key in example.keys() - DIFFER_EACH_TIME}
    for name, example in events(STREAMS["error"]["value"]):
        validate(example, SCHEMAS_OF_EVENTS[name])


def test_every_example_of_an_error_is_what_such_a_request_gets(url: str) -> None:
    printed = {
        name: example["value"]
        for response in API["components"]["responses"].values()
        for name, example in response["content"]["application/problem+json"].get("examples", {}).items()
    }
    for example in printed.values():
        validate(example, "Problem")
    assert printed.keys() == ILL_REQUESTS.keys() | NEED_AUTHENTICATION
    for name, (body, media_type) in ILL_REQUESTS.items():
        assert post(url, body, media_type).json() == printed[name]


def test_schemathesis_finds_no_server_error_and_no_undocumented_answer(url: str, tmp_path: Path) -> None:
    for file in HERE.glob("schemathesis*"):
        shutil.copy(file, tmp_path)
    run = [sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()", "run"]

    done = subprocess.run(
        [*run, str(DOCUMENT), "--url", url],
        cwd=tmp_path,
        timeout=300,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )

    assert done.returncode == 0, done.stdout
    assert "Operations:       {0} selected / {0} total".format(len(API["paths"])) in done.stdout, done.stdout
