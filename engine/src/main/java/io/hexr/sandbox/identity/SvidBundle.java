package io.hexr.sandbox.identity;

import java.security.cert.X509Certificate;
import java.util.Map;
import java.util.Set;

/**
 * What the engine has at one moment: its own certificate, and whom it trusts to sign those of others.
 *
 * @param authorities the authorities of each trust domain
 */
public record SvidBundle(X509Svid svid, Map<TrustDomain, Set<X509Certificate>> authorities) {
    public SvidBundle {
        authorities = Map.copyOf(authorities);
    }
}
