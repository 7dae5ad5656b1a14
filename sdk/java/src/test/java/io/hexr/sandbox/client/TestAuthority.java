package io.hexr.sandbox.client;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** An authority of certificates, and the files that it writes. */
final class TestAuthority {
    private static final AtomicLong SERIAL = new AtomicLong(1);
    private static final X500Principal NAME = new X500Principal("O=tests");

    /** A certificate and its key. */
    record Issued(X509Certificate certificate, PrivateKey key) {
        void writeCertificate(Path file) throws IOException, GeneralSecurityException {
            write(file, "CERTIFICATE", certificate.getEncoded());
        }

        void writeKey(Path file) throws IOException {
            write(file, "PRIVATE KEY", key.getEncoded());
        }

        private static void write(Path file, String label, byte[] der) throws IOException {
            var base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
            Files.writeString(file, "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(label, base64, label));
        }
    }

    private final KeyPair pair;
    private final X509Certificate certificate;

    TestAuthority() throws GeneralSecurityException, IOException, OperatorCreationException {
        pair = KeyPairGenerator.getInstance("EC").generateKeyPair();
        certificate =
                sign(NAME, pair, true, new GeneralName(GeneralName.uniformResourceIdentifier, "spiffe://example.org"));
    }

    void write(Path file) throws IOException, GeneralSecurityException {
        new Issued(certificate, pair.getPrivate()).writeCertificate(file);
    }

    Issued issueTo(String name, GeneralName alternative)
            throws GeneralSecurityException, IOException, OperatorCreationException {
        return issueTo(name, alternative, "EC");
    }

    Issued issueTo(String name, GeneralName alternative, String algorithm)
            throws GeneralSecurityException, IOException, OperatorCreationException {
        var own = KeyPairGenerator.getInstance(algorithm).generateKeyPair();
        return new Issued(sign(new X500Principal("CN=" + name), own, false, alternative), own.getPrivate());
    }

    /** The TLS of a service with this certificate, which trusts what this authority issued. */
    SSLContext serviceTls(Issued own) throws GeneralSecurityException, IOException {
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("own", own.key(), new char[0], new X509Certificate[] {own.certificate()});
        store.setCertificateEntry("authority", certificate);
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, new char[0]);
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        var context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private X509Certificate sign(X500Principal subject, KeyPair own, boolean authority, GeneralName alternative)
            throws GeneralSecurityException, IOException, OperatorCreationException {
        var hour = Duration.ofHours(1);
        var builder = new JcaX509v3CertificateBuilder(
                        NAME,
                        BigInteger.valueOf(SERIAL.getAndIncrement()),
                        Date.from(Instant.now().minus(hour)),
                        Date.from(Instant.now().plus(hour)),
                        subject,
                        own.getPublic())
                .addExtension(Extension.basicConstraints, true, new BasicConstraints(authority))
                .addExtension(
                        Extension.keyUsage,
                        true,
                        new KeyUsage(authority ? KeyUsage.keyCertSign : KeyUsage.digitalSignature))
                .addExtension(Extension.subjectAlternativeName, false, new GeneralNames(alternative));
        var signer = new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate());
        return new JcaX509CertificateConverter().getCertificate(builder.build(signer));
    }
}
