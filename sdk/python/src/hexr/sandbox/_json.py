from __future__ import annotations

import base64
import binascii
import json
from typing import Any, TypeVar

from ._errors import InvalidAnswerError

T = TypeVar("T")


class JsonObject:
    """Takes typed values out of an answer; whatever is not there or not of its type makes the answer invalid."""

    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise InvalidAnswerError(f"{where} of the answer is no JSON object; does the URL lead to a Sandbox Engine?")
        self._members: dict[str, Any] = value
        self._where = where

    @classmethod
    def parse(cls, body: bytes) -> JsonObject:
        try:
            return cls(json.loads(body), "the body")
        except ValueError as e:
            raise InvalidAnswerError(f"the answer is not JSON ({e}); does the URL lead to a Sandbox Engine?") from e

    def get(self, name: str, kind: type[T]) -> T:
        value = self._members.get(name)
        # bool is an int to Python, not to JSON
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self._invalid(name, kind.__name__)
        return value

    def optional(self, name: str, kind: type[T]) -> T | None:
        return None if self._members.get(name) is None else self.get(name, kind)

    def number(self, name: str) -> float:
        value = self._members.get(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self._invalid(name, "a number")
        return float(value)

    def base64(self, name: str) -> bytes:
        try:
            return base64.b64decode(self.get(name, str), validate=True)
        except binascii.Error:
            raise self._invalid(name, "base64") from None

    def strings(self, name: str) -> dict[str, str]:
        value = self.get(name, dict)
        if not all(isinstance(v, str) for v in value.values()):
            raise self._invalid(name, "an object of strings")
        return value

    def numbers(self, name: str) -> dict[str, float | None]:
        """An object of numbers, some of them null."""
        members = self.child(name)
        return {key: None if value is None else members.number(key) for key, value in members._members.items()}

    def child(self, name: str) -> JsonObject:
        return JsonObject(self._members.get(name), name)

    def children(self, name: str) -> list[JsonObject]:
        return [JsonObject(item, f"{name}[{i}]") for i, item in enumerate(self.get(name, list))]

    def _invalid(self, name: str, kind: str) -> InvalidAnswerError:
        return InvalidAnswerError(f"{name} of {self._where} is missing or not {kind}; is the service of another version?")
