"""The official Python client of MCP lists and calls the tool of a running engine, with and without a handshake."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import mcp
import pytest
from mcp import types

ROOT = Path(__file__).parents[4]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGE = (ROOT / "docs/mcp.md").read_text(encoding="utf-8")
DEFAULT_URL = "http://127.0.0.1:8080"

PLOT = "import matplotlib.pyplot as p; p.plot([1, 4, 9]); p.savefig('plot.png')"

both = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])


def call(url: str, mode: str, **arguments: Any) -> types.CallToolResult:
    async def main() -> types.CallToolResult:
        async with mcp.Client(url + "/mcp", mode=mode) as client:
            return await client.call_tool("execute_code", arguments)

    return asyncio.run(main())


def text(result: types.CallToolResult) -> str:
    (block,) = [block for block in result.content if isinstance(block, types.TextContent)]
    return block.text


@both
def test_the_tool_is_listed_with_what_is_installed(url: str, mode: str) -> None:
    async def main() -> types.ListToolsResult:
        async with mcp.Client(url + "/mcp", mode=mode) as client:
            return await client.list_tools()

    (tool,) = asyncio.run(main()).tools
    assert tool.name == "execute_code"
    assert tool.description is not None
    assert "python 3.11" in tool.description
    assert "pandas" in tool.description
    assert tool.annotations is not None
    assert tool.annotations.open_world_hint is False


@both
def test_a_program_gives_text_and_structure(url: str, mode: str) -> None:
    files = [{"path": "in.txt", "content": "21"}]
    code = "import sys; print(int(open('in.txt').read()) * int(sys.argv[1]))"

    result = call(url, mode, code=code, language="python", args=["2"], files=files)

    assert not result.is_error, result
    assert "stdout:\n42" in text(result)
    assert result.structured_content is not None
    assert result.structured_content["stdout"] == "42\n"
    assert result.structured_content["exit_code"] == 0


@both
def test_a_plot_is_an_image_and_a_table_a_resource(url: str, mode: str) -> None:
    code = PLOT + "; open('t.csv', 'w').write('a,b')"

    result = call(url, mode, code=code, language="python", artifacts=["*.png", "*.csv"])

    (image,) = [block for block in result.content if isinstance(block, types.ImageContent)]
    assert image.mime_type == "image/png"
    (resource,) = [block.resource for block in result.content if isinstance(block, types.EmbeddedResource)]
    assert isinstance(resource, types.TextResourceContents)
    assert resource.text == "a,b"
    assert result.structured_content is not None
    assert [file["path"] for file in result.structured_content["artifacts"]] == ["plot.png", "t.csv"]


@both
def test_a_program_that_fails_is_an_error_that_the_model_reads(url: str, mode: str) -> None:
    result = call(url, mode, code="import no_such_module", language="python")

    assert result.is_error
    assert "Exit code 1" in text(result)
    assert "ModuleNotFoundError" in text(result)
    assert result.structured_content is not None
    assert result.structured_content["exit_code"] == 1


@both
def test_a_program_that_is_too_slow_is_told_so(url: str, mode: str) -> None:
    result = call(url, mode, code="while :; do :; done", language="bash", timeout=0.5)

    assert result.is_error
    assert text(result).startswith("The program was ended at its timeout. Exit code 124")


@both
def test_arguments_that_are_not_legal_are_an_error_that_says_what_is(url: str, mode: str) -> None:
    result = call(url, mode, code="", language="ruby")

    assert result.is_error
    assert text(result) == 'invalid_request: There is no language "ruby". Legal is: python, javascript, bash.'


def test_the_client_finds_out_by_itself_that_there_is_no_handshake(url: str) -> None:
    async def main() -> str | None:
        async with mcp.Client(url + "/mcp") as client:
            return client.protocol_version

    assert asyncio.run(main()) == "2026-07-28"


def test_the_configuration_of_the_readme_leads_to_the_tool(url: str) -> None:
    (block,) = [block for block in re.findall(r"```json\n(.*?)```", README, re.DOTALL) if "mcpServers" in block]
    (server,) = json.loads(block)["mcpServers"].values()
    assert server["type"] == "http"

    result = call(server["url"].replace(DEFAULT_URL, url).removesuffix("/mcp"), "auto", code="echo 1", language="bash")

    assert not result.is_error


def test_the_python_of_the_page_prints_what_it_says(url: str) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)

    done = subprocess.run(
        [sys.executable, "-c", example.replace(DEFAULT_URL, url)], timeout=60, capture_output=True, encoding="utf-8"
    )

    assert done.stdout == "".join(re.findall(r"  # prints (.*\n)", example)), done.stderr


def test_the_curl_of_the_page_gets_the_answer_that_is_printed(url: str) -> None:
    (command,) = re.findall(r"```sh\n(curl .*?)```", PAGE, re.DOTALL)
    (printed,) = [block for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL) if '"jsonrpc"' in block]

    done = subprocess.run(
        ["bash", "-c", command.replace(DEFAULT_URL, url)], timeout=60, capture_output=True, encoding="utf-8", check=True
    )

    assert shape(json.loads(done.stdout)) == shape(json.loads(printed))


def shape(value: Any) -> Any:
    """What stays the same from run to run: everything but ids, times, sizes and the words that name them."""
    if isinstance(value, dict):
        differs = {"execution_id", "execution_time_ms", "memory_used_mb", "text", "version"}
        return {key: None if key in differs else shape(item) for key, item in value.items()}
    return [shape(item) for item in value] if isinstance(value, list) else value


def test_a_page_of_another_machine_may_not_call(url: str) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}

    answer = httpx.post(url + "/mcp", json=body, headers={"Origin": "http://rebound.example.com"})

    assert answer.status_code == 403
    assert answer.json()["code"] == "forbidden"
