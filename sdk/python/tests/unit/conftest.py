from __future__ import annotations

from collections.abc import Iterator

import pytest
from calling import Caller
from fake_service import FakeService


@pytest.fixture(autouse=True)
def no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("URL", "CA_FILE", "CERT_FILE", "KEY_FILE", "SERVER_ID", "CONNECT_TIMEOUT", "DEADLINE", "MAX_RETRIES"):
        monkeypatch.delenv("HEXR_SANDBOX_" + name, raising=False)


@pytest.fixture
def service() -> Iterator[FakeService]:
    service = FakeService()
    yield service
    service.close()


@pytest.fixture(params=["blocking", "asynchronous"])
def caller(request: pytest.FixtureRequest) -> Caller:
    return Caller(request.param)
