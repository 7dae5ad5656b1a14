package io.hexr.sandbox.client;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Arrays;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** The TLS side of a client: whom it trusts and, with mTLS, who it is. */
final class Tls {
    /** Of a key store that is never written down. */
    private static final char[] NO_PASSWORD = new char[0];

    private Tls() {}

    static SSLContext context(Settings settings) throws IOException, GeneralSecurityException {
        var context = SSLContext.getInstance("TLS");
        context.init(
                keyManagers(settings.certFile(), settings.keyFile()),
                trustManagers(settings.caFile(), settings.serverId()),
                null);
        return context;
    }

    private static KeyManager @Nullable [] keyManagers(@Nullable Path certFile, @Nullable Path keyFile)
            throws IOException, GeneralSecurityException {
        if (certFile == null || keyFile == null) {
            return null;
        }
        var chain = Pem.certificates(certFile);
        var store = emptyStore();
        store.setKeyEntry("caller", Pem.privateKey(keyFile, chain[0]), NO_PASSWORD, chain);
        var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, NO_PASSWORD);
        return factory.getKeyManagers();
    }

    private static TrustManager[] trustManagers(@Nullable Path caFile, @Nullable String serverId)
            throws IOException, GeneralSecurityException {
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(caFile == null ? null : storeOf(caFile));
        var managers = factory.getTrustManagers();
        if (serverId == null) {
            return managers;
        }
        return Arrays.stream(managers)
                .map(manager -> new ServerIdTrustManager((X509ExtendedTrustManager) manager, serverId))
                .toArray(TrustManager[]::new);
    }

    private static KeyStore storeOf(Path caFile) throws IOException, GeneralSecurityException {
        var store = emptyStore();
        int number = 0;
        for (var authority : Pem.certificates(caFile)) {
            store.setCertificateEntry("authority-" + number++, authority);
        }
        return store;
    }

    private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }
}
