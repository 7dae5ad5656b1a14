package io.hexr.sandbox.http;

import io.hexr.sandbox.identity.Peer;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;

/** Who is at the other end of a request's connection; nothing of it comes from the request itself. */
final class PeerOf {
    private PeerOf() {}

    static Peer request(Request request) {
        var remote = request.getConnectionMetaData().getRemoteSocketAddress();
        return new Peer(remote instanceof InetSocketAddress inet ? inet.getAddress() : null, chain(request));
    }

    /** Empty without TLS and when the client showed no certificate. */
    static List<X509Certificate> chain(Request request) {
        return request.getAttribute(EndPoint.SslSessionData.ATTRIBUTE) instanceof EndPoint.SslSessionData session
                        && session.peerCertificates() != null
                ? List.of(session.peerCertificates())
                : List.of();
    }
}
