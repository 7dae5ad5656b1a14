package io.hexr.sandbox.identity;

import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.util.Locale;

/** Whether a private key belongs to a public one. */
final class KeyPairs {
    private static final byte[] MESSAGE = {1, 2, 3};

    private KeyPairs() {}

    /** Files of certificate and key are replaced one after the other: in between they do not belong together. */
    static void requireMatch(PrivateKey privateKey, PublicKey publicKey) throws GeneralSecurityException {
        String algorithm = switch (privateKey.getAlgorithm().toUpperCase(Locale.ROOT)) {
            case "EC" -> "SHA256withECDSA";
            case "RSA" -> "SHA256withRSA";
            case "EDDSA" -> "EdDSA";
            default ->
                throw new GeneralSecurityException(
                        "keys of type %s are not supported".formatted(privateKey.getAlgorithm()));
        };
        var signer = Signature.getInstance(algorithm);
        signer.initSign(privateKey);
        signer.update(MESSAGE);
        byte[] signature = signer.sign();
        var verifier = Signature.getInstance(algorithm);
        verifier.initVerify(publicKey);
        verifier.update(MESSAGE);
        if (!verifier.verify(signature)) {
            throw new GeneralSecurityException("the key is not that of the certificate");
        }
    }
}
