"""smolagents: ``ExecuteCodeTool()`` is a tool for any of its agents. Needs ``hexr[smolagents]``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, get_args

from smolagents import Tool

from ._code_tool import CODE, DESCRIPTION, LANGUAGE, NAME, CodeTool, Language

if TYPE_CHECKING:
    from hexr.sandbox import Client, ExecutionResult


class ExecuteCodeTool(Tool):  # type: ignore[misc, unused-ignore] # smolagents has no types
    """The tool ``execute_code``; by default on the client of :func:`hexr.sandbox.exec`."""

    name = NAME
    description = DESCRIPTION
    inputs: dict[str, dict[str, Any]] = {  # noqa: RUF012 - as smolagents wants it
        "code": {"type": "string", "description": CODE},
        "language": {"type": "string", "description": LANGUAGE, "enum": list(get_args(Language))},
    }
    output_type = "string"

    def __init__(
        self,
        client: Client | None = None,
        *,
        timeout: float | None = None,
        memory_mb: int | None = None,
        on_result: Callable[[ExecutionResult], object] | None = None,
    ) -> None:
        super().__init__()
        self._tool = CodeTool(client, timeout, memory_mb, on_result)

    def forward(self, code: str, language: str) -> str:
        told, _ = self._tool.run(code, language)
        return told
