from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme
from calling import Caller
from fake_service import FakeService
from svids import Authority

from hexr.sandbox import Client, UnreachableError

CA = trustme.CA()


class Files:
    """Of one client: what it trusts and who it is."""

    def __init__(self, directory: Path) -> None:
        self.ca, self.cert, self.key = (str(directory / name) for name in ("ca.pem", "cert.pem", "key.pem"))
        CA.cert_pem.write_to_path(self.ca)
        self.issue("first")

    def issue(self, name: str) -> None:
        self.write_key(self.write_cert(name))

    def write_cert(self, name: str) -> trustme.LeafCert:
        leaf = CA.issue_cert("client.example", common_name=name)
        leaf.cert_chain_pems[0].write_to_path(self.cert)
        return leaf

    def write_key(self, leaf: trustme.LeafCert) -> None:
        leaf.private_key_pem.write_to_path(self.key)


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


@pytest.fixture
def mtls_service() -> Iterator[FakeService]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    CA.issue_cert("127.0.0.1").configure_cert(context)
    CA.configure_trust(context)
    context.verify_mode = ssl.CERT_REQUIRED
    service = FakeService(context)
    yield service
    service.close()


def names(service: FakeService) -> list[str]:
    return [dict(part[0] for part in peer["subject"])["commonName"] for peer in service.peers]


def test_a_caller_shows_its_certificate(mtls_service: FakeService, files: Files, caller: Caller) -> None:
    client = {"ca_file": files.ca, "cert_file": files.cert, "key_file": files.key}

    assert caller.exec(mtls_service.url, client=client).stdout == "42\n"
    assert names(mtls_service) == ["first"]


def test_a_service_that_is_not_trusted_gets_no_call(mtls_service: FakeService, files: Files, caller: Caller) -> None:
    trustme.CA().cert_pem.write_to_path(files.ca)

    with pytest.raises(UnreachableError, match="CERTIFICATE_VERIFY_FAILED"):
        caller.exec(mtls_service.url, client={"ca_file": files.ca, "cert_file": files.cert, "key_file": files.key})
    assert mtls_service.requests == []


def test_a_service_of_another_name_gets_no_call(mtls_service: FakeService, files: Files, caller: Caller) -> None:
    url = mtls_service.url.replace("127.0.0.1", "localhost")

    with pytest.raises(UnreachableError, match="CERTIFICATE_VERIFY_FAILED"):
        caller.exec(url, client={"ca_file": files.ca, "cert_file": files.cert, "key_file": files.key})


def test_a_caller_without_a_certificate_is_refused(mtls_service: FakeService, files: Files, caller: Caller) -> None:
    with pytest.raises(UnreachableError):
        caller.exec(mtls_service.url, client={"ca_file": files.ca})
    assert mtls_service.requests == []


def test_a_new_certificate_is_used_by_the_next_connection(mtls_service: FakeService, files: Files) -> None:
    with Client(mtls_service.url, ca_file=files.ca, cert_file=files.cert, key_file=files.key) as client:
        client.exec("x")
        files.issue("second")
        client._pool[1].close()  # as the service closes connections of old certificates
        client._pool = (client._pool[0], client._open())
        client.exec("x")
    assert names(mtls_service) == ["first", "second"]


def test_a_certificate_whose_key_is_not_written_yet_is_left_for_later(mtls_service: FakeService, files: Files) -> None:
    with Client(mtls_service.url, ca_file=files.ca, cert_file=files.cert, key_file=files.key) as client:
        leaf = files.write_cert("second")
        client.exec("x")
        files.write_key(leaf)
        client._pool[1].close()
        client._pool = (client._pool[0], client._open())
        client.exec("x")
    assert names(mtls_service) == ["first", "second"]


@pytest.fixture
def svid_service(tmp_path: Path) -> Iterator[FakeService]:
    """Known by its SPIFFE ID alone; the address that it is called by is nowhere in its certificate."""
    authority = Authority()
    authority.write_bundle(tmp_path / "bundle.pem")
    authority.issue("spiffe://example.org/engine", tmp_path / "engine.pem", tmp_path / "engine.key")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "engine.pem", tmp_path / "engine.key")
    service = FakeService(context)
    yield service
    service.close()


def test_a_service_with_the_expected_spiffe_id_is_called(svid_service: FakeService, tmp_path: Path, caller: Caller) -> None:
    client = {"ca_file": tmp_path / "bundle.pem", "server_id": "spiffe://example.org/engine"}

    assert caller.exec(svid_service.url, client=client).stdout == "42\n"


@pytest.mark.parametrize(
    "server_id", ["spiffe://example.org/other", "spiffe://example.org/engine/", "spiffe://EXAMPLE.org/engine"]
)
def test_a_service_with_another_spiffe_id_gets_no_call(
    svid_service: FakeService, tmp_path: Path, caller: Caller, server_id: str
) -> None:
    with pytest.raises(UnreachableError, match=rf": the service is spiffe://example.org/engine, not {server_id}$"):
        caller.exec(svid_service.url, client={"ca_file": tmp_path / "bundle.pem", "server_id": server_id})
    assert svid_service.requests == []


def test_a_service_without_a_spiffe_id_gets_no_call(mtls_service: FakeService, files: Files, caller: Caller) -> None:
    with pytest.raises(UnreachableError, match="without a SPIFFE ID"):
        caller.exec(mtls_service.url, client={"ca_file": files.ca, "server_id": "spiffe://example.org/engine"})
    assert mtls_service.requests == []
