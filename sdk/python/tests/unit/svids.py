"""X.509-SVIDs for tests: an authority and the certificates it issues, as a SPIRE agent's helper would write them to files.

svids.py DIRECTORY writes bundle.pem, and certificate and key of an engine and of a client.
"""

from __future__ import annotations

import datetime
import sys
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

HOUR = datetime.timedelta(hours=1)
TRUST_DOMAIN = "example.org"


class Authority:
    """The certificate authority of a trust domain."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, "tests")])
        usage = _key_usage(signing_certificates=True)
        self._certificate = (
            self._builder(self._name, self._key.public_key(), f"spiffe://{TRUST_DOMAIN}")
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(usage, critical=True)
            .sign(self._key, hashes.SHA256())
        )

    def write_bundle(self, path: Path) -> None:
        path.write_bytes(self._certificate.public_bytes(serialization.Encoding.PEM))

    def issue(self, spiffe_id: str, cert: Path, key: Path) -> None:
        own = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, spiffe_id.rsplit("/", 1)[-1])])
        purposes = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        certificate = (
            self._builder(name, own.public_key(), spiffe_id)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_key_usage(signing_certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        cert.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        key.write_bytes(
            own.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        )

    def _builder(self, name: x509.Name, key: ec.EllipticCurvePublicKey, spiffe_id: str) -> x509.CertificateBuilder:
        now = datetime.datetime.now(datetime.timezone.utc)
        return (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - HOUR)
            .not_valid_after(now + HOUR)
            .add_extension(x509.SubjectAlternativeName([x509.UniformResourceIdentifier(spiffe_id)]), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
        )


def _key_usage(*, signing_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signing_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signing_certificates,
        crl_sign=signing_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def write_all(directory: Path) -> None:
    authority = Authority()
    authority.write_bundle(directory / "bundle.pem")
    for name in ("engine", "client"):
        authority.issue(f"spiffe://{TRUST_DOMAIN}/{name}", directory / f"{name}.pem", directory / f"{name}.key")


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))
