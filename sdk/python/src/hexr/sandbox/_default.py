"""The functions of the module: the same as those of a client, on one that is made from the environment."""

from __future__ import annotations

import contextlib
import os
import threading
from typing import TYPE_CHECKING

from ._client import AsyncClient, Client
from ._settings import Settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping

    from ._health import Health
    from ._request import Files
    from ._result import ExecutionResult
    from ._stream import AsyncStream, Stream

_lock = threading.Lock()
_made: tuple[Settings, Client] | None = None


def _default() -> Client:
    """The same one until a variable is changed, as in a notebook whose first call found nobody.

    One that was replaced is not closed: another thread may be in the middle of a call.
    """
    global _made
    settings = Settings.resolve()
    with _lock:
        if _made is None or _made[0] != settings:
            _made = (settings, Client())
        return _made[1]


def _after_fork_in_child() -> None:
    """Another thread of the parent may have held the lock; no thread is left in the child that would release it."""
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):  # not on Windows, where nothing forks
    os.register_at_fork(after_in_child=_after_fork_in_child)


def exec(
    code: str,
    language: str = "python",
    *,
    timeout: float | None = None,
    memory_mb: int | None = None,
    args: Iterable[str] = (),
    env: Mapping[str, str] | None = None,
    stdin: str | None = None,
    files: Files | None = None,
    artifacts: Iterable[str] | None = None,
    deadline: float | None = None,
) -> ExecutionResult:
    """Runs a program in a fresh sandbox and returns its result, whatever its exit.

    What is not given has the service's default; what is not legal is refused by the service with InvalidRequestError.

    :param language: python, javascript or bash
    :param timeout: wall time of the program in seconds
    :param memory_mb: memory of the program in MiB
    :param args: the program's arguments
    :param env: environment variables besides the sandbox's own
    :param stdin: the whole standard input
    :param files: what is laid out in /workspace, where the program runs: path there → text, bytes or a path here
    :param artifacts: patterns of the files that come back, such as ``["*.csv"]``; by default images, none for ``[]``
    :param deadline: seconds for the whole call, waiting and retries included; by default ``timeout`` (or 30) and 90
    :raises SandboxError: when there is no result; its classes tell why
    """
    return _default().exec(
        code,
        language,
        timeout=timeout,
        memory_mb=memory_mb,
        args=args,
        env=env,
        stdin=stdin,
        files=files,
        artifacts=artifacts,
        deadline=deadline,
    )


async def aexec(
    code: str,
    language: str = "python",
    *,
    timeout: float | None = None,
    memory_mb: int | None = None,
    args: Iterable[str] = (),
    env: Mapping[str, str] | None = None,
    stdin: str | None = None,
    files: Files | None = None,
    artifacts: Iterable[str] | None = None,
    deadline: float | None = None,
) -> ExecutionResult:
    """As :func:`exec`, for asyncio.

    Each call has a connection of its own: a pool would belong to one event loop, and who calls this may have many, one after
    the other. For many calls in one loop use :class:`AsyncClient`.
    """
    async with AsyncClient() as client:
        return await client.exec(
            code,
            language,
            timeout=timeout,
            memory_mb=memory_mb,
            args=args,
            env=env,
            stdin=stdin,
            files=files,
            artifacts=artifacts,
            deadline=deadline,
        )


def stream(
    code: str,
    language: str = "python",
    *,
    timeout: float | None = None,
    memory_mb: int | None = None,
    args: Iterable[str] = (),
    env: Mapping[str, str] | None = None,
    stdin: str | None = None,
    files: Files | None = None,
    artifacts: Iterable[str] | None = None,
    deadline: float | None = None,
) -> Stream:
    """Runs a program in a fresh sandbox and tells what it does as it does it. The arguments are those of :func:`exec`.

    >>> with hexr.sandbox.stream("for i in range(3): print(i)") as run:
    ...     for event in run:
    ...         if isinstance(event, hexr.sandbox.Stdout):
    ...             print(event.text, end="")
    >>> run.result.exit_code
    0

    The call returns when the sandbox is there, and raises what keeps it from being there. The end of the ``with`` ends a run
    that is not over.
    """
    return _default().stream(
        code,
        language,
        timeout=timeout,
        memory_mb=memory_mb,
        args=args,
        env=env,
        stdin=stdin,
        files=files,
        artifacts=artifacts,
        deadline=deadline,
    )


@contextlib.asynccontextmanager
async def astream(
    code: str,
    language: str = "python",
    *,
    timeout: float | None = None,
    memory_mb: int | None = None,
    args: Iterable[str] = (),
    env: Mapping[str, str] | None = None,
    stdin: str | None = None,
    files: Files | None = None,
    artifacts: Iterable[str] | None = None,
    deadline: float | None = None,
) -> AsyncIterator[AsyncStream]:
    """As :func:`stream`, for asyncio: ``async with hexr.sandbox.astream(code) as run: async for event in run: …``"""
    async with (
        AsyncClient() as client,
        await client.stream(
            code,
            language,
            timeout=timeout,
            memory_mb=memory_mb,
            args=args,
            env=env,
            stdin=stdin,
            files=files,
            artifacts=artifacts,
            deadline=deadline,
        ) as run,
    ):
        yield run


def health() -> Health:
    """How the service is, also when it does not run code."""
    return _default().health()
