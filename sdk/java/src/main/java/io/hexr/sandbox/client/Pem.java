package io.hexr.sandbox.client;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Pattern;

/** Certificates and keys in PEM (RFC 7468), which the JDK writes and reads only in parts before version 26. */
final class Pem {
    private static final int MAX_BYTES = 1 << 20;
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

    private Pem() {}

    /** One or more certificates. */
    static X509Certificate[] certificates(Path file) throws IOException, GeneralSecurityException {
        var certificates = CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(read(file)))
                .toArray(X509Certificate[]::new);
        if (certificates.length == 0) {
            throw new IOException(file + " has no certificate");
        }
        return certificates;
    }

    /** An unencrypted PKCS #8 key; that of another certificate is refused. */
    static PrivateKey privateKey(Path file, X509Certificate certificate) throws IOException, GeneralSecurityException {
        var matcher = KEY.matcher(new String(read(file), US_ASCII));
        if (!matcher.find()) {
            throw new IOException(file + " has no unencrypted PKCS #8 key (BEGIN PRIVATE KEY)");
        }
        var der = Base64.getMimeDecoder().decode(matcher.group(1));
        var algorithm = certificate.getPublicKey().getAlgorithm();
        var key = KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
        requirePair(key, certificate, file);
        return key;
    }

    /** Files of certificate and key are replaced one after the other: in between they do not belong together. */
    private static void requirePair(PrivateKey key, X509Certificate certificate, Path file)
            throws IOException, GeneralSecurityException {
        var algorithm = switch (key.getAlgorithm()) {
            case "EC" -> "SHA256withECDSA";
            case "RSA" -> "SHA256withRSA";
            case "EdDSA" -> "EdDSA";
            default ->
                throw new IOException(
                        "%s has a key of type %s, which is not supported".formatted(file, key.getAlgorithm()));
        };
        var signer = Signature.getInstance(algorithm);
        signer.initSign(key);
        var signature = signer.sign();
        var verifier = Signature.getInstance(algorithm);
        verifier.initVerify(certificate.getPublicKey());
        if (!verifier.verify(signature)) {
            throw new IOException(file + " is not the key of the certificate");
        }
    }

    private static byte[] read(Path file) throws IOException {
        try (var in = Files.newInputStream(file)) {
            var content = in.readNBytes(MAX_BYTES + 1);
            if (content.length > MAX_BYTES) {
                throw new IOException("%s has more than %d bytes".formatted(file, MAX_BYTES));
            }
            return content;
        }
    }
}
