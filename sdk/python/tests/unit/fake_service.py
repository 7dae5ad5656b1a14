"""A service that answers as it is told: real sockets, real HTTP, no sandbox."""

from __future__ import annotations

import base64
import json
import ssl
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable

RESULT: dict[str, Any] = {
    "stdout": "42\n",
    "stderr": "",
    "exit_code": 0,
    "execution_time_ms": 12,
    "memory_used_mb": 34,
    "execution_id": "exec-1",
    "language": "python",
    "timed_out": False,
    "oom_killed": False,
    "signal": None,
    "stdout_truncated": False,
    "stderr_truncated": False,
    "limit": None,
    "artifacts": [],
    "artifacts_skipped": [],
}


@dataclass
class Reply:
    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    #: sends the body in its own way, instead of at once
    send: Callable[[Callable[[bytes], object]], object] | None = None


def result(**changes: Any) -> Reply:
    return Reply(200, json.dumps({**RESULT, **changes}).encode(), {"Content-Type": "application/json"})


def event(number: int, name: str, data: dict[str, Any]) -> bytes:
    return f"id: {number}\nevent: {name}\ndata: {json.dumps(data)}\n\n".encode()


def stream(body: dict[str, Any]) -> list[bytes]:
    """The events of a run with this complete answer."""
    told = {"execution_id": body["execution_id"], "language": body["language"], "timeout": 30.0, "memory_mb": 256}
    events = [("start", told)]
    events += [(name, {"text": body[name]}) for name in ("stdout", "stderr") if body[name]]
    events += [("artifact", file) for file in body["artifacts"]]
    rest = {name: value for name, value in body.items() if name not in ("stdout", "stderr", "artifacts")}
    events.append(("result", {**rest, "timings_ms": {"queue": 0.1, "resume": None, "total": 12.5}}))
    return [event(number, *one) for number, one in enumerate(events, 1)]


def events(*pieces: bytes) -> Reply:
    """A stream of these bytes."""
    return Reply(200, b"".join(pieces), {"Content-Type": "text/event-stream"})


def artifact(path: str, media_type: str, content: bytes) -> dict[str, Any]:
    encoded = base64.b64encode(content).decode()
    return {"path": path, "media_type": media_type, "size": len(content), "content_base64": encoded}


def problem(status: int, code: str, retry_after: str | None = None, **more: Any) -> Reply:
    body = {"type": "tag:x", "title": "T", "status": status, "detail": "D.", "code": code, "retryable": False, **more}
    headers = {"Content-Type": "application/problem+json"}
    if retry_after is not None:
        headers["Retry-After"] = retry_after
    return Reply(status, json.dumps(body).encode(), headers)


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class FakeService:
    """Gives the replies in order and the last of them for ever; keeps what it was asked."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.replies = [result()]
        self.requests: list[Request] = []
        self.connections = 0
        #: subject of each client certificate
        self.peers: list[Any] = []
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._tls = tls
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"{'http' if self._tls is None else 'https'}://127.0.0.1:{self._server.server_port}"

    def answer(self, request: Request) -> Reply:
        with self._lock:
            self.requests.append(request)
            return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]

    def connected(self, peer: Any) -> None:
        with self._lock:
            self.connections += 1
            self.peers.append(peer)

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away, or refuses this server's certificate, is part of the tests."""


def _handler(service: FakeService) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 20

        def setup(self) -> None:
            super().setup()
            tls = isinstance(self.connection, ssl.SSLSocket)
            if tls:
                self.connection.do_handshake()
            service.connected(self.connection.getpeercert() if tls else None)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            request = Request(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body)
            reply = service.answer(request)
            if request.headers.get("accept") == "text/event-stream" and reply.headers.get("Content-Type") == "application/json":
                reply = events(*stream(json.loads(reply.body)))
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            if reply.send is None:
                self.wfile.write(reply.body)
            else:
                reply.send(self.wfile.write)

        do_GET = do_POST  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler
