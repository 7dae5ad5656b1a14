"""LangChain: ``execute_code_tool()`` gives a tool whose messages have the result as artifact. Needs ``hexr[langchain]``."""

from __future__ import annotations

from typing import Annotated, Callable

from langchain_core.tools import StructuredTool

from hexr.sandbox import Client, ExecutionResult  # noqa: TC001 - LangChain evaluates the annotations

from ._code_tool import CODE, DESCRIPTION, LANGUAGE, NAME, CodeTool, Language


def execute_code_tool(
    client: Client | None = None,
    *,
    timeout: float | None = None,
    memory_mb: int | None = None,
    on_result: Callable[[ExecutionResult], object] | None = None,
) -> StructuredTool:
    """The tool ``execute_code``; by default on the client of :func:`hexr.sandbox.exec`."""
    tool = CodeTool(client, timeout, memory_mb, on_result)

    def execute_code(
        code: Annotated[str, CODE], language: Annotated[Language, LANGUAGE] = "python"
    ) -> tuple[str, ExecutionResult | None]:
        return tool.run(code, language)

    async def aexecute_code(
        code: Annotated[str, CODE], language: Annotated[Language, LANGUAGE] = "python"
    ) -> tuple[str, ExecutionResult | None]:
        return await tool.arun(code, language)

    return StructuredTool.from_function(
        func=execute_code,
        coroutine=aexecute_code,
        name=NAME,
        description=DESCRIPTION,
        response_format="content_and_artifact",
    )
