package io.hexr.sandbox.http;

import io.hexr.sandbox.identity.X509Svid;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** TLS of a client that shows this certificate, or none, and trusts this authority. */
final class ClientTls {
    private ClientTls() {}

    static SSLContext context(@Nullable X509Svid svid, X509Certificate authority)
            throws GeneralSecurityException, IOException {
        var trust = KeyStore.getInstance("PKCS12");
        trust.load(null);
        trust.setCertificateEntry("authority", authority);
        var trustManagers = TrustManagerFactory.getInstance("PKIX");
        trustManagers.init(trust);
        var context = SSLContext.getInstance("TLS");
        context.init(keyManagers(svid), trustManagers.getTrustManagers(), null);
        return context;
    }

    static KeyManager[] keyManagers(@Nullable X509Svid svid) throws GeneralSecurityException, IOException {
        var keys = KeyStore.getInstance("PKCS12");
        keys.load(null);
        if (svid != null) {
            keys.setKeyEntry("own", svid.key(), new char[0], svid.chain().toArray(Certificate[]::new));
        }
        var factory = KeyManagerFactory.getInstance("PKIX");
        factory.init(keys, new char[0]);
        return factory.getKeyManagers();
    }
}
