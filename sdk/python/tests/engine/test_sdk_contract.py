"""The SDK and the contract have the same fields and codes."""

from __future__ import annotations

import dataclasses
import inspect
import re
from typing import Any

import pytest
from test_contract import API

from hexr import sandbox

SCHEMAS = API["components"]["schemas"]


@pytest.mark.parametrize(
    "schema", ["ExecutionResult", "StreamResult", "SkippedArtifact", "Health", "Language", "Load", "Pool", "PoolLevel"]
)
def test_a_type_has_the_fields_of_its_schema(schema: str) -> None:
    fields = [field.name for field in dataclasses.fields(getattr(sandbox, schema))]
    assert fields == list(SCHEMAS[schema]["properties"])


def test_the_events_of_a_stream_have_the_fields_of_their_schemas() -> None:
    assert [field.name for field in dataclasses.fields(sandbox.Started)] == list(SCHEMAS["StreamStart"]["properties"])
    for output in (sandbox.Stdout, sandbox.Stderr):
        assert [field.name for field in dataclasses.fields(output)] == list(SCHEMAS["StreamOutput"]["properties"])


def test_an_artifact_has_its_content_and_size_in_its_own_way() -> None:
    names = {*(field.name for field in dataclasses.fields(sandbox.Artifact)), "size"}
    assert {*names} - {"content"} == {*SCHEMAS["Artifact"]["properties"]} - {"content_base64"}


def test_an_error_has_the_members_of_a_problem() -> None:
    parameters = inspect.signature(sandbox.ServiceError).parameters
    # `type` says no more than `code`; Retry-After is a header
    assert {*parameters} - {"retry_after"} == {*SCHEMAS["Problem"]["properties"]} - {"type"}


CALLS = [
    *(sandbox.exec, sandbox.aexec, sandbox.Client.exec, sandbox.AsyncClient.exec),
    *(sandbox.stream, sandbox.astream, sandbox.Client.stream, sandbox.AsyncClient.stream),
]


@pytest.mark.parametrize("function", CALLS)
def test_a_call_takes_the_fields_of_a_request(function: Any) -> None:
    parameters = [name for name in inspect.signature(function).parameters if name != "self"]
    assert parameters == [*SCHEMAS["ExecutionRequest"]["properties"], "deadline"]


def test_no_code_of_the_sdk_means_something_else_to_the_service() -> None:
    own = {
        getattr(sandbox, name).code
        for name in sandbox.__all__
        if name.endswith("Error") and hasattr(getattr(sandbox, name), "code")
    }
    assert own.isdisjoint(SCHEMAS["ErrorCode"]["enum"])
    assert all(re.fullmatch(r"[a-z_]+", code) for code in own)
