from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._json import JsonObject


@dataclass(frozen=True)
class Language:
    """A language that the service runs, with the version of its interpreter and of its libraries."""

    language: str
    version: str
    packages: Mapping[str, str]

    @classmethod
    def from_json(cls, body: JsonObject) -> Language:
        return cls(body.get("language", str), body.get("version", str), body.strings("packages"))


@dataclass(frozen=True)
class Load:
    """How busy the service is: calls that may run and do, that may wait and do."""

    capacity: int
    running: int
    queue_length: int
    waiting: int

    @classmethod
    def from_json(cls, body: JsonObject) -> Load:
        return cls(*(body.get(name, int) for name in ("capacity", "running", "queue_length", "waiting")))


@dataclass(frozen=True)
class PoolLevel:
    """The sandboxes of one language that wait, that are being made, and that should wait."""

    language: str
    ready: int
    refilling: int
    target: int

    @classmethod
    def from_json(cls, body: JsonObject) -> PoolLevel:
        return cls(body.get("language", str), *(body.get(name, int) for name in ("ready", "refilling", "target")))


@dataclass(frozen=True)
class Pool:
    """The sandboxes that wait for calls: what memory they may and do hold, failures of making one in a row, and by language."""

    memory_mb: int
    used_mb: int
    failures: int
    languages: tuple[PoolLevel, ...]

    @classmethod
    def from_json(cls, body: JsonObject) -> Pool:
        return cls(
            memory_mb=body.get("memory_mb", int),
            used_mb=body.get("used_mb", int),
            failures=body.get("failures", int),
            languages=tuple(PoolLevel.from_json(level) for level in body.children("languages")),
        )


@dataclass(frozen=True)
class Health:
    """How the service is. The fields are those of the API (openapi.yaml)."""

    #: ok, starting, draining or broken
    status: str
    #: why it does not run code; None when it does
    reason: str | None
    version: str
    backend: str | None
    backend_version: str | None
    #: why it is this backend
    backend_reason: str | None
    #: what stands between a program and the host: hardware or user_space_kernel
    isolation: str | None
    languages: tuple[Language, ...]
    load: Load
    #: None until there are any
    pool: Pool | None

    @classmethod
    def from_json(cls, body: JsonObject) -> Health:
        return cls(
            status=body.get("status", str),
            reason=body.optional("reason", str),
            version=body.get("version", str),
            backend=body.optional("backend", str),
            backend_version=body.optional("backend_version", str),
            backend_reason=body.optional("backend_reason", str),
            isolation=body.optional("isolation", str),
            languages=tuple(Language.from_json(language) for language in body.children("languages")),
            load=Load.from_json(body.child("load")),
            pool=None if body.optional("pool", dict) is None else Pool.from_json(body.child("pool")),
        )

    @property
    def ok(self) -> bool:
        return self.status == "ok"
