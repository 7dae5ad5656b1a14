package io.hexr.sandbox.identity;

import java.math.BigInteger;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.jspecify.annotations.Nullable;

/** The authority of a trust domain in this JVM; as a source of SVIDs it trusts itself. What it signs is as wrong as a test wants it. */
public final class TestAuthority implements SvidSource {
    private static final AtomicLong SERIAL = new AtomicLong(1);

    private final TrustDomain domain;
    private final X509Svid root;
    private volatile X509Svid own;
    private volatile boolean trusted = true;

    public TestAuthority(String domain) {
        this.domain = new TrustDomain(domain);
        this.root = sign(new Wish("CN=root", List.of("spiffe://" + domain), true), null);
        this.own = issue("spiffe://" + domain + "/sandbox-engine");
    }

    /** A certificate that a test wants. */
    public record Wish(
            String subject,
            List<String> uris,
            boolean authority,
            int usage,
            List<KeyPurposeId> purposes,
            Instant notBefore,
            Instant notAfter) {
        private static final Duration SKEW = Duration.ofSeconds(10);

        Wish(String subject, List<String> uris, boolean authority) {
            this(
                    subject,
                    uris,
                    authority,
                    authority ? KeyUsage.keyCertSign | KeyUsage.cRLSign : KeyUsage.digitalSignature,
                    authority ? List.of() : List.of(KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth),
                    Instant.now().minus(SKEW),
                    Instant.now().plus(Duration.ofHours(1)));
        }

        public static Wish of(String... uris) {
            return new Wish("O=SPIRE,C=US", List.of(uris), false);
        }

        public Wish withUsage(int bits) {
            return new Wish(subject, uris, authority, bits, purposes, notBefore, notAfter);
        }

        public Wish withPurposes(KeyPurposeId... ids) {
            return new Wish(subject, uris, authority, usage, List.of(ids), notBefore, notAfter);
        }

        public Wish asAuthority() {
            return new Wish(subject, uris, true, usage, purposes, notBefore, notAfter);
        }

        public Wish valid(Instant from, Instant until) {
            return new Wish(subject, uris, authority, usage, purposes, from, until);
        }
    }

    /** An ordinary SVID. */
    public X509Svid issue(String id) {
        return issue(Wish.of(id));
    }

    public X509Svid issue(Wish wish) {
        return sign(wish, root);
    }

    public X509Certificate rootCertificate() {
        return root.leaf();
    }

    /** The engine's own certificate is a new one from now on. */
    public void rotate() {
        own = issue("spiffe://" + domain + "/sandbox-engine");
    }

    /** Who asks this source has no identity any more. */
    public void withdraw() {
        trusted = false;
    }

    @Override
    public Optional<SvidBundle> current() {
        return trusted ? Optional.of(new SvidBundle(own, Map.of(domain, Set.of(root.leaf())))) : Optional.empty();
    }

    @Override
    public void close() {}

    private static X509Svid sign(Wish wish, @Nullable X509Svid issuer) {
        try {
            KeyPair pair = KeyPairGenerator.getInstance("EC").generateKeyPair();
            var issuerName = issuer == null
                    ? new X500Principal(wish.subject)
                    : issuer.leaf().getSubjectX500Principal();
            var builder = new JcaX509v3CertificateBuilder(
                            issuerName,
                            BigInteger.valueOf(SERIAL.getAndIncrement()),
                            Date.from(wish.notBefore),
                            Date.from(wish.notAfter),
                            new X500Principal(wish.subject),
                            pair.getPublic())
                    .addExtension(Extension.basicConstraints, true, new BasicConstraints(wish.authority));
            if (wish.usage != 0) {
                builder.addExtension(Extension.keyUsage, true, new KeyUsage(wish.usage));
            }
            if (!wish.purposes.isEmpty()) {
                builder.addExtension(
                        Extension.extendedKeyUsage,
                        false,
                        new ExtendedKeyUsage(wish.purposes.toArray(KeyPurposeId[]::new)));
            }
            if (!wish.uris.isEmpty()) {
                builder.addExtension(
                        Extension.subjectAlternativeName,
                        false,
                        new GeneralNames(wish.uris.stream()
                                .map(uri -> new GeneralName(GeneralName.uniformResourceIdentifier, uri))
                                .toArray(GeneralName[]::new)));
            }
            var signer = new JcaContentSignerBuilder("SHA256withECDSA")
                    .build(issuer == null ? pair.getPrivate() : issuer.key());
            var certificate = new JcaX509CertificateConverter().getCertificate(builder.build(signer));
            return new X509Svid(List.of(certificate), pair.getPrivate());
        } catch (Exception e) {
            throw new IllegalStateException("no certificate", e);
        }
    }

    /** What an intermediate authority of this one signs: leaf, then intermediate. */
    public X509Svid issueThroughIntermediate(String id) {
        var intermediate = sign(new Wish("CN=intermediate", List.of("spiffe://" + domain), true), root);
        var leaf = sign(Wish.of(id), intermediate);
        return new X509Svid(List.of(leaf.leaf(), intermediate.leaf()), leaf.key());
    }
}
