package io.hexr.sandbox.identity;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;

/** Certificates and keys as files and the Workload API bring them: PEM (RFC 7468) and DER. */
public final class Pem {
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

    private Pem() {}

    /** One or more certificates, PEM or DER one after the other. */
    public static List<X509Certificate> certificates(byte[] bytes) throws CertificateException {
        var found = new ArrayList<X509Certificate>();
        for (var certificate :
                CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(bytes))) {
            found.add((X509Certificate) certificate);
        }
        if (found.isEmpty()) {
            throw new CertificateException("no certificate");
        }
        return found;
    }

    /** An unencrypted PKCS #8 key in PEM. */
    public static PrivateKey privateKey(byte[] pem, X509Certificate certificate) throws GeneralSecurityException {
        var matcher = KEY.matcher(new String(pem, US_ASCII));
        if (!matcher.find()) {
            throw new GeneralSecurityException("no unencrypted PKCS #8 key (BEGIN PRIVATE KEY)");
        }
        byte[] der;
        try {
            der = Base64.getMimeDecoder().decode(matcher.group(1));
        } catch (IllegalArgumentException e) {
            throw new GeneralSecurityException("the key is not base64", e);
        }
        return pkcs8Key(der, certificate);
    }

    /** The private key of this certificate; of another one it is refused. */
    public static PrivateKey pkcs8Key(byte[] der, X509Certificate certificate) throws GeneralSecurityException {
        var publicKey = certificate.getPublicKey();
        var key = KeyFactory.getInstance(publicKey.getAlgorithm()).generatePrivate(new PKCS8EncodedKeySpec(der));
        KeyPairs.requireMatch(key, publicKey);
        return key;
    }
}
