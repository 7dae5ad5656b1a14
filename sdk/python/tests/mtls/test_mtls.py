"""The SDK against a running engine with AUTH_MODE=mtls, whose SVIDs are in the directory SVIDS."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from calling import Caller
from svids import TRUST_DOMAIN, Authority

from hexr.sandbox import AccessDeniedError, UnreachableError

SVIDS = Path(os.environ["SVIDS"])
ENGINE = f"spiffe://{TRUST_DOMAIN}/engine"
CLIENT: dict[str, Any] = {
    "ca_file": SVIDS / "bundle.pem",
    "cert_file": SVIDS / "client.pem",
    "key_file": SVIDS / "client.key",
    "server_id": ENGINE,
}


@pytest.fixture(params=["blocking", "asynchronous"])
def caller(request: pytest.FixtureRequest) -> Caller:
    return Caller(request.param)


def test_a_caller_with_an_svid_runs_code_on_an_engine_with_an_svid(url: str, caller: Caller) -> None:
    assert url.startswith("https://")
    assert caller.exec(url, "print(6 * 7)", client=CLIENT).stdout == "42\n"


def test_an_engine_with_another_id_gets_no_call(url: str, caller: Caller) -> None:
    with pytest.raises(UnreachableError, match=f"the service is {ENGINE}, not spiffe://example.org/other"):
        caller.exec(url, client={**CLIENT, "server_id": "spiffe://example.org/other"})


def test_an_engine_of_another_authority_gets_no_call(url: str, caller: Caller, tmp_path: Path) -> None:
    Authority().write_bundle(tmp_path / "other.pem")

    with pytest.raises(UnreachableError, match="CERTIFICATE_VERIFY_FAILED"):
        caller.exec(url, client={**CLIENT, "ca_file": tmp_path / "other.pem"})


def test_a_caller_without_an_svid_is_told_so_or_cut_off(url: str, caller: Caller) -> None:
    with pytest.raises((AccessDeniedError, UnreachableError)):
        caller.exec(url, client={"ca_file": CLIENT["ca_file"], "server_id": ENGINE})
