from __future__ import annotations

import ssl
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._errors import ConfigurationError

if TYPE_CHECKING:
    from ._settings import Settings


class ClientTls:
    """The TLS side of a client: whom it trusts and, with mTLS, who it is.

    Certificates of workloads live for an hour and are replaced on disk. So the files are looked at before every call and,
    when they changed, loaded into the same context: open connections go on, new ones use the new certificate. A pair that does
    not fit together, because only one of the files is written yet, is left for the next call.

    The service is known by the name in its URL, or, where it has an X.509-SVID, by its SPIFFE ID and nothing else.
    """

    def __init__(self, settings: Settings) -> None:
        self._identity = (settings.cert_file, settings.key_file)
        self._loaded: tuple[int, ...] = ()
        self._lock = threading.Lock()
        try:
            self.context = ssl.create_default_context(cafile=settings.ca_file)
            self.context.minimum_version = ssl.TLSVersion.TLSv1_2
            if settings.server_id is not None:
                _expect(self.context, settings.server_id)
            self._load()
        except (OSError, ssl.SSLError) as e:
            files = ", ".join(filter(None, (settings.ca_file, settings.cert_file, settings.key_file)))
            raise ConfigurationError(f"the TLS files cannot be used ({files}): {e}") from e

    def refresh(self) -> None:
        """Loads the certificate anew if its files changed."""
        if not self._lock.acquire(blocking=False):
            return  # another thread is at it
        try:
            self._load()
        except (OSError, ssl.SSLError):
            return  # half written: the old one is still good
        finally:
            self._lock.release()

    def _load(self) -> None:
        cert, key = self._identity
        if cert is None or key is None:
            return
        stamp = tuple(part for path in (cert, key) for part in _stamp(path))
        if stamp == self._loaded:
            return
        # A pair that does not fit would leave the context without any, so it is tried on another one first.
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain(cert, key)
        self.context.load_cert_chain(cert, key)
        self._loaded = stamp


def _stamp(path: str) -> tuple[int, ...]:
    state = Path(path).stat()  # follows the symbolic links by which secrets are replaced
    return state.st_ino, state.st_mtime_ns, state.st_size


def _expect(context: ssl.SSLContext, server_id: str) -> None:
    """Every handshake of this context ends in an error, before anything is sent, unless the peer has this SPIFFE ID.

    An X.509-SVID has one URI and need not have any DNS name (X509-SVID specification, section 2), so the name in the URL says
    nothing. Both kinds of connection are covered: blocking ones use sockets, asynchronous ones objects.
    """

    def require_id(certificate: Any) -> None:
        uris = [value for kind, value in (certificate or {}).get("subjectAltName", ()) if kind == "URI"]
        if uris != [server_id]:
            found = ", ".join(uris) or "without a SPIFFE ID"
            # With a number before it, as OpenSSL gives one: the text of a lone argument would be that of a tuple.
            raise ssl.SSLCertVerificationError(ssl.SSLErrorNumber.SSL_ERROR_SSL, f"the service is {found}, not {server_id}")

    class VerifiedSocket(ssl.SSLSocket):
        def do_handshake(self, block: bool = False) -> None:
            super().do_handshake(block)
            require_id(self.getpeercert())

    class VerifiedObject(ssl.SSLObject):
        def do_handshake(self) -> None:
            super().do_handshake()
            require_id(self.getpeercert())

    context.check_hostname = False
    context.sslsocket_class = VerifiedSocket
    context.sslobject_class = VerifiedObject
