package io.hexr.sandbox.identity;

import io.hexr.sandbox.identity.AuthenticationException.Kind;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateParsingException;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Validates X.509-SVIDs of callers and gateways (X509-SVID, section 5) against the trust bundle of their own trust domain. */
public final class SvidVerifier {
    /** RFC 5280, section 4.2.1.6: the tag of a URI among the alternative names. */
    private static final int URI_NAME = 6;

    // RFC 5280, section 4.2.1.3: bits of the key usage.
    private static final int DIGITAL_SIGNATURE = 0;
    private static final int KEY_CERT_SIGN = 5;
    private static final int CRL_SIGN = 6;

    private static final String CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";

    private final SvidSource source;
    private final Set<TrustDomain> trustDomains;

    /**
     * @param trustDomains whose workloads are accepted
     */
    public SvidVerifier(SvidSource source, Set<TrustDomain> trustDomains) {
        this.source = source;
        this.trustDomains = Set.copyOf(trustDomains);
    }

    /**
     * Whose certificate it is.
     *
     * @param chain the certificate itself, then those that lead to an authority
     */
    public SpiffeId verify(List<X509Certificate> chain) throws AuthenticationException {
        if (chain.isEmpty()) {
            throw new AuthenticationException(Kind.NO_CERTIFICATE, "The peer shows no certificate.");
        }
        X509Certificate leaf = chain.getFirst();
        SpiffeId id = spiffeId(leaf);
        if (!trustDomains.contains(id.trustDomain())) {
            throw new AuthenticationException(Kind.TRUST_DOMAIN, "Callers of this trust domain are not accepted.");
        }
        requireLeaf(leaf);
        validatePath(chain, authorities(id.trustDomain()));
        return id;
    }

    private static SpiffeId spiffeId(X509Certificate leaf) throws AuthenticationException {
        var uris = uris(leaf);
        if (uris.size() != 1) {
            throw new AuthenticationException(
                    Kind.CERTIFICATE, "The certificate has %d URIs; an SVID has exactly one.".formatted(uris.size()));
        }
        return SpiffeId.parse(uris.getFirst())
                .orElseThrow(() -> new AuthenticationException(
                        Kind.CERTIFICATE, "The URI in the certificate is not the SPIFFE ID of a workload."));
    }

    private static List<String> uris(X509Certificate leaf) throws AuthenticationException {
        try {
            Collection<List<?>> names = leaf.getSubjectAlternativeNames();
            return names == null
                    ? List.of()
                    : names.stream()
                            .filter(name -> name.getFirst().equals(URI_NAME))
                            .map(name -> String.valueOf(name.get(1)))
                            .toList();
        } catch (CertificateParsingException e) {
            throw new AuthenticationException(Kind.CERTIFICATE, "The names in the certificate cannot be read.", e);
        }
    }

    /** Sections 4 and 5.2. */
    private static void requireLeaf(X509Certificate leaf) throws AuthenticationException {
        boolean @Nullable [] usage = leaf.getKeyUsage();
        boolean isLeaf = leaf.getBasicConstraints() < 0
                && usage != null
                && usage[DIGITAL_SIGNATURE]
                && !usage[KEY_CERT_SIGN]
                && !usage[CRL_SIGN];
        if (!isLeaf) {
            throw new AuthenticationException(
                    Kind.CERTIFICATE,
                    "The certificate is not one for a workload: it may sign others, or may not sign at all.");
        }
        try {
            var purposes = leaf.getExtendedKeyUsage();
            if (purposes != null && !purposes.contains(CLIENT_AUTH)) {
                throw new AuthenticationException(Kind.CERTIFICATE, "The certificate is not one for clients.");
            }
        } catch (CertificateParsingException e) {
            throw new AuthenticationException(Kind.CERTIFICATE, "The purposes in the certificate cannot be read.", e);
        }
    }

    private Set<X509Certificate> authorities(TrustDomain domain) throws AuthenticationException {
        var bundle = source.current()
                .orElseThrow(() -> new AuthenticationException(
                        Kind.NO_TRUST, "The engine has no identity of its own at the moment."));
        var authorities = bundle.authorities().get(domain);
        if (authorities == null || authorities.isEmpty()) {
            throw new AuthenticationException(Kind.NO_TRUST, "The engine has no trust bundle of this trust domain.");
        }
        return authorities;
    }

    /** RFC 5280, section 6, without revocation: SVIDs live shortly instead. */
    private static void validatePath(List<X509Certificate> chain, Set<X509Certificate> authorities)
            throws AuthenticationException {
        try {
            var path = CertificateFactory.getInstance("X.509").generateCertPath(chain);
            var parameters = new PKIXParameters(authorities.stream()
                    .map(authority -> new TrustAnchor(authority, null))
                    .collect(Collectors.toSet()));
            parameters.setRevocationEnabled(false);
            CertPathValidator.getInstance("PKIX").validate(path, parameters);
        } catch (GeneralSecurityException e) {
            throw new AuthenticationException(
                    Kind.CERTIFICATE,
                    "The certificate is expired, or not signed by an authority of its trust domain.",
                    e);
        }
    }
}
