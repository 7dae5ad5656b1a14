from __future__ import annotations

import asyncio
from typing import Any

import hexr


class Caller:
    """The same call by the blocking or by the asynchronous client."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def exec(
        self, url: str, code: str = "x", *, client: dict[str, Any] | None = None, **arguments: Any
    ) -> hexr.sandbox.ExecutionResult:
        if self.kind == "blocking":
            with hexr.sandbox.Client(url, **client or {}) as blocking:
                return blocking.exec(code, **arguments)

        async def run() -> hexr.sandbox.ExecutionResult:
            async with hexr.sandbox.AsyncClient(url, **client or {}) as asynchronous:
                return await asynchronous.exec(code, **arguments)

        return asyncio.run(run())

    def stream(
        self, url: str, code: str = "x", **arguments: Any
    ) -> tuple[list[hexr.sandbox.StreamEvent], hexr.sandbox.Stream | hexr.sandbox.AsyncStream]:
        """All events, and the stream that they came from."""
        if self.kind == "blocking":
            with hexr.sandbox.Client(url) as blocking, blocking.stream(code, **arguments) as told:
                return list(told), told

        async def run() -> tuple[list[hexr.sandbox.StreamEvent], hexr.sandbox.AsyncStream]:
            async with hexr.sandbox.AsyncClient(url) as asynchronous, await asynchronous.stream(code, **arguments) as told:
                return [event async for event in told], told

        return asyncio.run(run())
