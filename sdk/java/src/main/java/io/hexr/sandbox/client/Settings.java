package io.hexr.sandbox.client;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Where the service is and how to speak to it, checked. */
record Settings(
        URI url,
        @Nullable Path caFile,
        @Nullable Path certFile,
        @Nullable Path keyFile,
        @Nullable String serverId,
        Duration connectTimeout,
        @Nullable Duration deadline,
        int maxRetries) {

    Settings {
        if ((certFile == null) != (keyFile == null)) {
            throw invalid("certFile and keyFile (HEXR_SANDBOX_CERT_FILE, _KEY_FILE) belong together");
        }
        if (!isTls(url) && (caFile != null || certFile != null)) {
            throw invalid("caFile and certFile need an https URL, not " + url);
        }
        if (serverId != null && (!serverId.startsWith("spiffe://") || caFile == null)) {
            throw invalid("serverId is %s; legal: such as spiffe://example.org/engine, and caFile".formatted(serverId));
        }
        requirePositive("connectTimeout", connectTimeout);
        if (deadline != null) {
            requirePositive("deadline", deadline);
        }
        if (maxRetries < 0) {
            throw invalid("maxRetries is %d; legal: 0 or more".formatted(maxRetries));
        }
    }

    /** An http or https URL, to which paths can be appended. */
    static URI url(String text) throws ConfigurationException {
        try {
            var url = new URI(text.replaceFirst("/+$", ""));
            if (("http".equals(url.getScheme()) || "https".equals(url.getScheme()))
                    && url.getHost() != null
                    && url.getQuery() == null
                    && url.getFragment() == null) {
                return url;
            }
        } catch (URISyntaxException e) {
            // as any other that is no URL of a service
        }
        throw invalid(
                "the service's URL is %s; legal: such as http://127.0.0.1:8080 or https://host/prefix".formatted(text));
    }

    boolean tls() {
        return isTls(url);
    }

    private static boolean isTls(URI url) {
        return "https".equals(url.getScheme());
    }

    private static void requirePositive(String name, Duration value) {
        if (!value.isPositive()) {
            throw invalid("%s is %s; legal: more than 0".formatted(name, value));
        }
    }

    static ConfigurationException invalid(String message) {
        return new ConfigurationException(message, null);
    }
}
