package io.hexr.sandbox.client;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trusts one service, known by its SPIFFE ID and nothing else: an X.509-SVID has exactly one URI and need not have any DNS name (X509-SVID specification, section 2), so
 * the name in the URL says nothing and is not compared. What it does not trust ends in the handshake, before anything is sent.
 */
final class ServerIdTrustManager extends X509ExtendedTrustManager {
    /** GeneralName of RFC 5280, section 4.2.1.6. */
    private static final int URI = 6;

    private final X509ExtendedTrustManager authorities;
    private final String serverId;

    ServerIdTrustManager(X509ExtendedTrustManager authorities, String serverId) {
        this.authorities = authorities;
        this.serverId = serverId;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        authorities.checkServerTrusted(chain, authType);
        var names = chain[0].getSubjectAlternativeNames();
        var ids = names == null
                ? List.of()
                : names.stream()
                        .filter(name -> Objects.equals(name.get(0), URI))
                        .map(name -> name.get(1))
                        .toList();
        if (!ids.equals(List.of(serverId))) {
            throw new CertificateException(
                    "the service is %s, not %s".formatted(ids.isEmpty() ? "without a SPIFFE ID" : ids, serverId));
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        checkServerTrusted(chain, authType);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        checkServerTrusted(chain, authType);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        throw new CertificateException("this is a client");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        checkClientTrusted(chain, authType);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        checkClientTrusted(chain, authType);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return authorities.getAcceptedIssuers();
    }
}
