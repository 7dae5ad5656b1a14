from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING, TypeVar

import anyio
import httpx

from ._call import TRANSPORT_ERRORS, Answer, Call, StreamCall, exec_call, health_call, stream_call
from ._errors import ServiceError
from ._request import Files, execution_request
from ._settings import Settings
from ._stream import AsyncStream, Stream
from ._tls import ClientTls

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterable, Mapping
    from types import TracebackType

    from typing_extensions import Self

    from ._health import Health
    from ._result import ExecutionResult
    from ._settings import StrPath

R = TypeVar("R")

# trust_env=False below: proxies and netrc of the environment are not for a service of one's own; an http_client can have them.


def _tls(settings: Settings, http_client: object) -> ClientTls | None:
    return ClientTls(settings) if settings.url.startswith("https:") and http_client is None else None


def _trust(tls: ClientTls | None) -> ssl.SSLContext | bool:
    """Without TLS nothing is verified, and the system's certificates, which take a while to load, are not loaded."""
    return tls.context if tls is not None else False


class Client:
    """A connection pool to one service. Any thread may use it; it is closed by :meth:`close` or at the end of its ``with``.

    A process that was forked gets a pool of its own at its first call: two processes on one connection would read each other's
    answers. With ``http_client`` all of this, and TLS, is the affair of whoever made it, and it is not closed here.

    :param url: of the service; else ``HEXR_SANDBOX_URL``, else http://127.0.0.1:8080
    :param ca_file: certificates to trust instead of the system's; else ``HEXR_SANDBOX_CA_FILE``
    :param cert_file: the caller's own certificate chain (mTLS), read anew when it changes; else ``HEXR_SANDBOX_CERT_FILE``
    :param key_file: its key; else ``HEXR_SANDBOX_KEY_FILE``
    :param server_id: the SPIFFE ID by which the service is known, instead of the name in its URL; else
        ``HEXR_SANDBOX_SERVER_ID``
    :param connect_timeout: seconds; else ``HEXR_SANDBOX_CONNECT_TIMEOUT``, else 5
    :param deadline: seconds for a call as a whole, waiting and retries included; else ``HEXR_SANDBOX_DEADLINE``, else the
        program's timeout and 90
    :param max_retries: after 429 and 503, within the deadline; else ``HEXR_SANDBOX_MAX_RETRIES``, else 5
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        ca_file: StrPath | None = None,
        cert_file: StrPath | None = None,
        key_file: StrPath | None = None,
        server_id: str | None = None,
        connect_timeout: float | None = None,
        deadline: float | None = None,
        max_retries: int | None = None,
        http_client: httpx.Client | None = None,
    ) -> None:
        self._settings = Settings.resolve(
            url=url,
            ca_file=ca_file,
            cert_file=cert_file,
            key_file=key_file,
            server_id=server_id,
            connect_timeout=connect_timeout,
            deadline=deadline,
            max_retries=max_retries,
        )
        self._given = http_client
        self._tls = _tls(self._settings, http_client)
        self._pool = (os.getpid(), http_client or self._open())

    def _open(self) -> httpx.Client:
        return httpx.Client(verify=_trust(self._tls), trust_env=False)

    def exec(
        self,
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
        """Runs a program in a fresh sandbox and returns its result, whatever its exit: see :func:`hexr.sandbox.exec`."""
        request = execution_request(
            code,
            language,
            timeout=timeout,
            memory_mb=memory_mb,
            args=args,
            env=env,
            stdin=stdin,
            files=files,
            artifacts=artifacts,
        )
        return self._send(exec_call(self._settings, request, timeout, deadline))

    def stream(
        self,
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
        """Runs a program and tells what it does as it does it: see :func:`hexr.sandbox.stream`."""
        request = execution_request(
            code,
            language,
            timeout=timeout,
            memory_mb=memory_mb,
            args=args,
            env=env,
            stdin=stdin,
            files=files,
            artifacts=artifacts,
        )
        return self._open_stream(stream_call(self._settings, request, timeout, deadline))

    def health(self) -> Health:
        """How the service is, also when it does not run code."""
        return self._send(health_call(self._settings))

    def _send(self, call: Call[R]) -> R:
        while True:
            try:
                return call.result(self._attempt(call))
            except ServiceError as e:
                pause = call.pause(e)
            time.sleep(pause)

    def _attempt(self, call: Call[R]) -> Answer:
        http = self._http()
        try:
            with http.stream(
                call.method, call.url, content=call.body, headers=call.headers, timeout=call.timeout()
            ) as response:
                answer = Answer(response, call.deadline)
                for piece in response.iter_bytes():
                    answer.add(piece)
                return answer.complete()
        except TRANSPORT_ERRORS as e:
            raise call.failure(e) from e

    def _open_stream(self, call: StreamCall) -> Stream:
        while True:
            http = self._http()
            try:
                request = http.build_request(
                    call.method, call.url, content=call.body, headers=call.headers, timeout=call.timeout()
                )
                response = http.send(request, stream=True)
                answer = Answer(response, call.deadline)
                if call.is_stream(answer):
                    return Stream(call, response)
                with contextlib.closing(response):
                    for piece in response.iter_bytes():
                        answer.add(piece)
            except TRANSPORT_ERRORS as e:
                raise call.failure(e) from e
            time.sleep(call.pause_after(answer.complete()))

    def _http(self) -> httpx.Client:
        process, http = self._pool
        if process != os.getpid() and self._given is None:
            # The parent's pool is dropped, not closed: to say goodbye on its connections is the parent's right.
            self._tls = _tls(self._settings, None)
            http = self._open()
            self._pool = (os.getpid(), http)
        if self._tls is not None:
            self._tls.refresh()
        return http

    def close(self) -> None:
        process, http = self._pool
        if process == os.getpid() and self._given is None:
            http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class AsyncClient:
    """As :class:`Client`, for asyncio. It belongs to the event loop in which it is used first."""

    def __init__(
        self,
        url: str | None = None,
        *,
        ca_file: StrPath | None = None,
        cert_file: StrPath | None = None,
        key_file: StrPath | None = None,
        server_id: str | None = None,
        connect_timeout: float | None = None,
        deadline: float | None = None,
        max_retries: int | None = None,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        self._settings = Settings.resolve(
            url=url,
            ca_file=ca_file,
            cert_file=cert_file,
            key_file=key_file,
            server_id=server_id,
            connect_timeout=connect_timeout,
            deadline=deadline,
            max_retries=max_retries,
        )
        self._given = http_client
        self._tls = _tls(self._settings, http_client)
        self._http = http_client or httpx.AsyncClient(verify=_trust(self._tls), trust_env=False)

    async def exec(
        self,
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
        """Runs a program in a fresh sandbox and returns its result, whatever its exit: see :func:`hexr.sandbox.exec`."""
        request = execution_request(
            code,
            language,
            timeout=timeout,
            memory_mb=memory_mb,
            args=args,
            env=env,
            stdin=stdin,
            files=files,
            artifacts=artifacts,
        )
        return await self._send(exec_call(self._settings, request, timeout, deadline))

    async def stream(
        self,
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
    ) -> AsyncStream:
        """Runs a program and tells what it does as it does it: see :func:`hexr.sandbox.stream`."""
        request = execution_request(
            code,
            language,
            timeout=timeout,
            memory_mb=memory_mb,
            args=args,
            env=env,
            stdin=stdin,
            files=files,
            artifacts=artifacts,
        )
        return await self._open_stream(stream_call(self._settings, request, timeout, deadline))

    async def health(self) -> Health:
        """How the service is, also when it does not run code."""
        return await self._send(health_call(self._settings))

    async def _send(self, call: Call[R]) -> R:
        while True:
            try:
                return call.result(await self._attempt(call))
            except ServiceError as e:
                pause = call.pause(e)
            await anyio.sleep(pause)

    async def _attempt(self, call: Call[R]) -> Answer:
        if self._tls is not None:
            self._tls.refresh()
        try:
            with anyio.fail_after(call.deadline.require()):
                async with self._http.stream(
                    call.method, call.url, content=call.body, headers=call.headers, timeout=call.timeout()
                ) as response:
                    answer = Answer(response, call.deadline)
                    async for piece in response.aiter_bytes():
                        answer.add(piece)
                    return answer.complete()
        except TimeoutError as e:
            raise call.deadline.exceeded() from e
        except TRANSPORT_ERRORS as e:
            raise call.failure(e) from e

    async def _open_stream(self, call: StreamCall) -> AsyncStream:
        while True:
            if self._tls is not None:
                self._tls.refresh()
            try:
                with anyio.fail_after(call.deadline.require()):
                    request = self._http.build_request(
                        call.method, call.url, content=call.body, headers=call.headers, timeout=call.timeout()
                    )
                    response = await self._http.send(request, stream=True)
                    answer = Answer(response, call.deadline)
                    if call.is_stream(answer):
                        return AsyncStream(call, response)
                    try:
                        async for piece in response.aiter_bytes():
                            answer.add(piece)
                    finally:
                        await response.aclose()
            except TimeoutError as e:
                raise call.deadline.exceeded() from e
            except TRANSPORT_ERRORS as e:
                raise call.failure(e) from e
            await anyio.sleep(call.pause_after(answer.complete()))

    async def aclose(self) -> None:
        if self._given is None:
            await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
