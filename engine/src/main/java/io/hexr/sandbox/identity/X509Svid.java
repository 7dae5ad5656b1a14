package io.hexr.sandbox.identity;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * A certificate with its private key.
 *
 * @param chain the certificate itself, then those that lead to an authority
 */
public record X509Svid(List<X509Certificate> chain, PrivateKey key) {
    public X509Svid {
        chain = List.copyOf(chain);
        if (chain.isEmpty()) {
            throw new IllegalArgumentException("no certificate");
        }
    }

    public X509Certificate leaf() {
        return chain.getFirst();
    }
}
