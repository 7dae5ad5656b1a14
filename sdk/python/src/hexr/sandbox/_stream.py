"""A run that is told as it goes on, for threads and for asyncio."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio

from ._call import TRANSPORT_ERRORS
from ._errors import SandboxError
from ._events import EventReader, StreamEvent, StreamResult

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Generator
    from types import TracebackType

    import httpx
    from typing_extensions import Self

    from ._call import StreamCall


class _Told:
    """What a stream has told so far."""

    def __init__(self) -> None:
        self._result: StreamResult | None = None

    @property
    def result(self) -> StreamResult:
        """How the run ended; there when all events have been read."""
        if self._result is None:
            raise SandboxError("the stream has not come to its result; read all of its events first")
        return self._result

    def _note(self, event: StreamEvent) -> StreamEvent:
        if isinstance(event, StreamResult):
            self._result = event
        return event


class Stream(_Told):
    """The events of one run, once: Started, Stdout, Stderr and Artifact as they come, at last a StreamResult. What the service
    reports instead of a result is raised. The program waits while its events are not read; its timeout does not.

    Closing the stream, by :meth:`close` or at the end of its ``with``, ends a run that is not over.
    """

    def __init__(self, call: StreamCall, response: httpx.Response) -> None:
        super().__init__()
        self._response = response
        self._events = self._read(call, response)

    def _read(self, call: StreamCall, response: httpx.Response) -> Generator[StreamEvent, None, None]:
        reader = EventReader()
        try:
            for piece in response.iter_bytes():
                for event in reader.feed(piece):
                    yield self._note(event)
                call.deadline.require()
            reader.end()
        except TRANSPORT_ERRORS as e:
            raise call.failure(e) from e
        finally:
            response.close()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> StreamEvent:
        return next(self._events)

    def close(self) -> None:
        self._events.close()
        # a generator that was not begun closes nothing
        self._response.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class AsyncStream(_Told):
    """As :class:`Stream`, for asyncio."""

    def __init__(self, call: StreamCall, response: httpx.Response) -> None:
        super().__init__()
        self._response = response
        self._events = self._read(call, response)

    async def _read(self, call: StreamCall, response: httpx.Response) -> AsyncGenerator[StreamEvent, None]:
        reader = EventReader()
        pieces = response.aiter_bytes().__aiter__()
        try:
            while (piece := await self._next(call, pieces)) is not None:
                for event in reader.feed(piece):
                    yield self._note(event)
            reader.end()
        except TRANSPORT_ERRORS as e:
            raise call.failure(e) from e
        finally:
            with anyio.CancelScope(shield=True):
                await response.aclose()

    @staticmethod
    async def _next(call: StreamCall, pieces: AsyncIterator[bytes]) -> bytes | None:
        """Heartbeats keep the connection from being idle, so that the deadline is this side's to keep."""
        try:
            with anyio.fail_after(call.deadline.require()):
                return await pieces.__anext__()
        except StopAsyncIteration:
            return None
        except TimeoutError as e:
            raise call.deadline.exceeded() from e

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> StreamEvent:
        return await self._events.__anext__()

    async def aclose(self) -> None:
        await self._events.aclose()
        await self._response.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
