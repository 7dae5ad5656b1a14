from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Callable, Literal

from hexr import sandbox

if TYPE_CHECKING:
    from hexr.sandbox import Client, ExecutionResult

Language = Literal["python", "javascript", "bash"]

NAME = "execute_code"
CODE = "The whole program. Print what you want to see."
LANGUAGE = "python (3.11 with numpy, pandas, scipy, matplotlib), javascript (Node.js 20) or bash."
DESCRIPTION = (
    "Runs a program in a fresh sandbox and returns its output. Nothing is kept from one call to the next, and there is no "
    "network. Images that the program saves in its working directory come back to the user."
)

#: What a model gets to read of each stream; it pays for every character.
SHOWN_CHARACTERS = 10_000


@dataclass(frozen=True)
class CodeTool:
    """What every framework's tool does with a model's code.

    What the model can mend is told to the model: how its program ended, and a request that the service refuses. Everything
    else, such as a service that is not there, is an exception for whoever runs the agent.
    """

    client: Client | None
    timeout: float | None
    memory_mb: int | None
    on_result: Callable[[ExecutionResult], object] | None

    def run(self, code: str, language: str) -> tuple[str, ExecutionResult | None]:
        """What the model is told, and the result if there is one."""
        execute = sandbox.exec if self.client is None else self.client.exec
        try:
            result = execute(code, language, timeout=self.timeout, memory_mb=self.memory_mb)
        except sandbox.InvalidRequestError as e:
            return f"The program was not run. {e}", None
        if self.on_result is not None:
            self.on_result(result)
        return describe(result), result

    async def arun(self, code: str, language: str) -> tuple[str, ExecutionResult | None]:
        return await asyncio.to_thread(self.run, code, language)


def describe(result: ExecutionResult) -> str:
    """A result in words for a model."""
    parts = [_ending(result)]
    parts += [f"{name}:\n{_cut(text)}" for name, text in (("stdout", result.stdout), ("stderr", result.stderr)) if text]
    if result.stdout_truncated or result.stderr_truncated:
        parts.append("There was more output than is kept.")
    if result.artifacts:
        parts.append("Files that came back: " + ", ".join(artifact.path for artifact in result.artifacts))
    return "\n".join(parts)


def _ending(result: ExecutionResult) -> str:
    try:
        result.raise_for_exit()
    except sandbox.ProgramTimedOutError:
        return f"The program was ended at its time limit after {result.execution_time_ms} ms."
    except sandbox.ProgramOutOfMemoryError:
        return f"The program was ended at its memory limit with {result.memory_used_mb} MiB."
    except sandbox.ProgramError:
        return f"The program exited with {result.exit_code}."
    return "The program exited with 0." if result.stdout or result.stderr else "The program exited with 0 and printed nothing."


def _cut(text: str) -> str:
    """Beginning and end, where errors stand."""
    if len(text) <= SHOWN_CHARACTERS:
        return text
    half = SHOWN_CHARACTERS // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters are left out …\n{text[-half:]}"
