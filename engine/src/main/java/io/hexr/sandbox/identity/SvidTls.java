package io.hexr.sandbox.identity;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.function.Function;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** TLS by SVIDs: every handshake uses what the source has at that moment, so a rotation needs no reload and touches no connection. */
public final class SvidTls {
    /**
     * A session that is resumed would skip the verification of the client's certificate. The JDK sends no ticket when its lifetime would
     * pass the seven days of RFC 8446, section 4.6.1; no other switch is per context.
     */
    private static final int NO_TICKETS_SECONDS = 7 * 24 * 3_600 + 1;

    private SvidTls() {}

    public static SSLContext serverContext(SvidSource source, SvidVerifier verifier) {
        try {
            var context = SSLContext.getInstance("TLSv1.3");
            context.init(
                    new KeyManager[] {new CurrentKey(source)}, new TrustManager[] {new CallersOnly(verifier)}, null);
            context.getServerSessionContext().setSessionTimeout(NO_TICKETS_SECONDS);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has TLS 1.3", e);
        }
    }

    /**
     * Shows the engine's certificate. JSSE asks for key and chain one after the other: the alias holds them together across a rotation between
     * the two questions.
     */
    private static final class CurrentKey extends X509ExtendedKeyManager {
        private record Generation(
                long number, X509Svid svid, @Nullable Generation older) {
            String alias() {
                return Long.toString(number);
            }

            Generation next(X509Svid newer) {
                return newer.equals(svid)
                        ? this
                        : new Generation(number + 1, newer, new Generation(number, svid, null));
            }
        }

        private final SvidSource source;
        private @Nullable Generation newest;

        CurrentKey(SvidSource source) {
            this.source = source;
        }

        @Override
        public synchronized @Nullable String chooseEngineServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            var bundle = source.current();
            if (bundle.isEmpty() || !bundle.get().svid().key().getAlgorithm().equals(keyType)) {
                return null;
            }
            var svid = bundle.get().svid();
            newest = newest == null ? new Generation(0, svid, null) : newest.next(svid);
            return newest.alias();
        }

        private synchronized <T> @Nullable T find(String alias, Function<X509Svid, T> part) {
            for (var generation = newest; generation != null; generation = generation.older) {
                if (generation.alias().equals(alias)) {
                    return part.apply(generation.svid);
                }
            }
            return null;
        }

        @Override
        public X509Certificate @Nullable [] getCertificateChain(String alias) {
            return find(alias, svid -> svid.chain().toArray(X509Certificate[]::new));
        }

        @Override
        public @Nullable PrivateKey getPrivateKey(String alias) {
            return find(alias, X509Svid::key);
        }

        @Override
        public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
            return null;
        }

        @Override
        public @Nullable String chooseServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return null;
        }

        @Override
        public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
            return null;
        }

        @Override
        public @Nullable String chooseClientAlias(
                String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return null;
        }
    }

    /** Ends the handshake of a client whose certificate is no good; one that shows none is told so by HTTP. */
    private static final class CallersOnly extends X509ExtendedTrustManager {
        private final SvidVerifier verifier;

        CallersOnly(SvidVerifier verifier) {
            this.verifier = verifier;
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            try {
                verifier.verify(List.of(chain));
            } catch (AuthenticationException e) {
                throw new CertificateException(e.reason(), e);
            }
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
                throws CertificateException {
            checkClientTrusted(chain, authType);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
                throws CertificateException {
            checkClientTrusted(chain, authType);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            throw new CertificateException("only clients are verified here");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
                throws CertificateException {
            checkServerTrusted(chain, authType);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
                throws CertificateException {
            checkServerTrusted(chain, authType);
        }

        /** No list for the client to choose by, and none for others to read. */
        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
