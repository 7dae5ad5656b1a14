"""Each tool in its real framework with a model that says what it is told, on a running engine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import agents
import pytest
import smolagents
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, ToolMessage
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from smolagents.models import ChatMessage, ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole

from hexr.sandbox import Client, ExecutionResult, UnreachableError
from hexr.tools import langchain, openai_agents
from hexr.tools.smolagents import ExecuteCodeTool

ARGUMENTS = {"code": "print(6 * 7)", "language": "python"}
TOLD = "The program exited with 0.\nstdout:\n42\n"


def test_langchain(url: str) -> None:
    call = {"name": "execute_code", "args": {"code": "print(6 * 7)"}, "id": "1", "type": "tool_call"}
    model = FakeMessagesListChatModel(responses=[AIMessage(content="", tool_calls=[call])])
    asked = model.invoke("what is six times seven?")
    assert isinstance(asked, AIMessage)

    with Client(url) as client:
        tool = langchain.execute_code_tool(client, timeout=10)
        for answer in (tool.invoke(asked.tool_calls[0]), asyncio.run(tool.ainvoke(asked.tool_calls[0]))):
            assert isinstance(answer, ToolMessage)
            assert answer.content == TOLD
            assert isinstance(answer.artifact, ExecutionResult)

    assert tool.args["language"]["enum"] == ["python", "javascript", "bash"]
    assert tool.args["code"]["description"].startswith("The whole program")


class StubModel(agents.Model):
    """Asks for the tool first, then answers with what the tool said."""

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> agents.ModelResponse:
        said = [item["output"] for item in input if isinstance(item, dict) and item.get("type") == "function_call_output"]
        output: Any = ResponseFunctionToolCall(
            type="function_call", call_id="1", name="execute_code", arguments=json.dumps(ARGUMENTS)
        )
        if said:
            text = ResponseOutputText(type="output_text", text=said[0], annotations=[])
            output = ResponseOutputMessage(id="2", type="message", role="assistant", status="completed", content=[text])
        return agents.ModelResponse(output=[output], usage=agents.Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError("the tests do not stream")


def test_openai_agents(url: str) -> None:
    agents.set_tracing_disabled(True)
    with Client(url) as client:
        tool = openai_agents.execute_code_tool(client)
        agent = agents.Agent(name="a", model=StubModel(), tools=[tool])
        run = asyncio.run(agents.Runner.run(agent, "what is six times seven?"))

    assert run.final_output == TOLD
    assert tool.params_json_schema["properties"]["language"]["enum"] == ["python", "javascript", "bash"]


def test_openai_agents_stop_when_the_service_is_not_there() -> None:
    agents.set_tracing_disabled(True)
    with Client("http://127.0.0.1:1") as client:
        agent = agents.Agent(name="a", model=StubModel(), tools=[openai_agents.execute_code_tool(client)])
        with pytest.raises(Exception, match="no connection") as caught:
            asyncio.run(agents.Runner.run(agent, "x"))
    assert isinstance(caught.value, UnreachableError) or isinstance(caught.value.__cause__, UnreachableError)


class StubSmolModel(smolagents.Model):  # type: ignore[misc, unused-ignore]
    """Asks for the tool first, then answers with what the tool said."""

    def generate(self, messages: Any, *_: Any, **__: Any) -> ChatMessage:
        text = "".join(part.get("text", "") for message in messages for part in message.content if isinstance(part, dict))
        name, arguments = ("final_answer", {"answer": TOLD}) if TOLD.strip() in text else ("execute_code", ARGUMENTS)
        call = ChatMessageToolCall(ChatMessageToolCallFunction(arguments, name), id="1", type="function")
        return ChatMessage(MessageRole.ASSISTANT, content="", tool_calls=[call])


def test_smolagents(url: str) -> None:
    results: list[ExecutionResult] = []
    with Client(url) as client:
        tool = ExecuteCodeTool(client, on_result=results.append)
        agent = smolagents.ToolCallingAgent(tools=[tool], model=StubSmolModel(), max_steps=3, verbosity_level=0)
        answer = agent.run("what is six times seven?")

    assert answer == TOLD
    assert [result.stdout for result in results] == ["42\n"]
