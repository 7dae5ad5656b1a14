from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from ._errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping

    StrPath = str | os.PathLike[str]

N = TypeVar("N", int, float)

DEFAULT_URL = "http://127.0.0.1:8080"
DEFAULT_CONNECT_TIMEOUT = 5.0
DEFAULT_MAX_RETRIES = 5


@dataclass(frozen=True)
class Settings:
    """Where the service is and how to speak to it. An argument wins over its variable, a variable over the default."""

    url: str
    ca_file: str | None
    cert_file: str | None
    key_file: str | None
    server_id: str | None
    connect_timeout: float
    deadline: float | None
    max_retries: int

    @classmethod
    def resolve(
        cls,
        *,
        url: str | None = None,
        ca_file: StrPath | None = None,
        cert_file: StrPath | None = None,
        key_file: StrPath | None = None,
        server_id: str | None = None,
        connect_timeout: float | None = None,
        deadline: float | None = None,
        max_retries: int | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> Settings:
        variables = _Variables(os.environ if environ is None else environ)
        settings = cls(
            url=_checked_url(url or variables.text("HEXR_SANDBOX_URL") or DEFAULT_URL),
            ca_file=_path(ca_file) or variables.text("HEXR_SANDBOX_CA_FILE"),
            cert_file=_path(cert_file) or variables.text("HEXR_SANDBOX_CERT_FILE"),
            key_file=_path(key_file) or variables.text("HEXR_SANDBOX_KEY_FILE"),
            server_id=server_id or variables.text("HEXR_SANDBOX_SERVER_ID"),
            connect_timeout=_first(connect_timeout, variables.seconds("HEXR_SANDBOX_CONNECT_TIMEOUT"), DEFAULT_CONNECT_TIMEOUT),
            deadline=deadline if deadline is not None else variables.seconds("HEXR_SANDBOX_DEADLINE"),
            max_retries=_first(max_retries, variables.count("HEXR_SANDBOX_MAX_RETRIES"), DEFAULT_MAX_RETRIES),
        )
        settings._check()
        return settings

    def _check(self) -> None:
        if (self.cert_file is None) != (self.key_file is None):
            raise ConfigurationError("cert_file and key_file (HEXR_SANDBOX_CERT_FILE, _KEY_FILE) belong together")
        if not self.url.startswith("https:") and (self.ca_file is not None or self.cert_file is not None):
            raise ConfigurationError(f"ca_file and cert_file need an https URL, not {self.url}")
        if self.server_id is not None and not (self.server_id.startswith("spiffe://") and self.ca_file is not None):
            raise ConfigurationError(
                f"server_id is {self.server_id!r}; legal: such as spiffe://example.org/engine, and ca_file"
            )
        for name, seconds in (("connect_timeout", self.connect_timeout), ("deadline", self.deadline)):
            if seconds is not None and not 0 < seconds < math.inf:
                raise ConfigurationError(f"{name} is {seconds}; legal: seconds greater than 0")
        if self.max_retries < 0:
            raise ConfigurationError(f"max_retries is {self.max_retries}; legal: 0 or more")


class _Variables:
    """An empty variable counts as not set."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    def text(self, name: str) -> str | None:
        return self._environ.get(name) or None

    def seconds(self, name: str) -> float | None:
        text = self.text(name)
        try:
            return None if text is None else float(text)
        except ValueError:
            raise ConfigurationError(f"{name} is {text!r}; legal: a number of seconds") from None

    def count(self, name: str) -> int | None:
        text = self.text(name)
        try:
            return None if text is None else int(text)
        except ValueError:
            raise ConfigurationError(f"{name} is {text!r}; legal: an integer") from None


def _first(argument: N | None, variable: N | None, default: N) -> N:
    return argument if argument is not None else variable if variable is not None else default


def _path(path: StrPath | None) -> str | None:
    return None if path is None else os.fspath(path)


def _checked_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ConfigurationError(f"the service's URL is {url!r}; legal: such as {DEFAULT_URL} or https://host/prefix")
    return url.rstrip("/")
