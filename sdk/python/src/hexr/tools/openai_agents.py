"""OpenAI Agents SDK: ``execute_code_tool()`` gives a function tool for an agent. Needs ``hexr[openai-agents]``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Callable

from agents import FunctionTool, function_tool

from ._code_tool import CODE, DESCRIPTION, LANGUAGE, NAME, CodeTool, Language

if TYPE_CHECKING:
    from hexr.sandbox import Client, ExecutionResult


def execute_code_tool(
    client: Client | None = None,
    *,
    timeout: float | None = None,
    memory_mb: int | None = None,
    on_result: Callable[[ExecutionResult], object] | None = None,
) -> FunctionTool:
    """The tool ``execute_code``; by default on the client of :func:`hexr.sandbox.exec`."""
    tool = CodeTool(client, timeout, memory_mb, on_result)

    # Without failure_error_function the model would be told of a service that is not there, and try for ever.
    @function_tool(name_override=NAME, description_override=DESCRIPTION, failure_error_function=None)
    async def execute_code(code: Annotated[str, CODE], language: Annotated[Language, LANGUAGE]) -> str:
        told, _ = await tool.arun(code, language)
        return told

    return execute_code
