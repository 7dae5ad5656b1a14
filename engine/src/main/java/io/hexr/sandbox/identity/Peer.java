package io.hexr.sandbox.identity;

import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The other end of a connection.
 *
 * @param address null on a unix socket
 * @param chain the certificates it showed, its own first; empty without TLS and when it showed none
 */
public record Peer(@Nullable InetAddress address, List<X509Certificate> chain) {
    public Peer {
        chain = List.copyOf(chain);
    }
}
