package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.json.StrictJsonReader;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Set;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/**
 * Which web pages may call. A page whose own name has come to mean this machine (DNS rebinding) has the same origin as the engine for the
 * browser, and so may send and read what it likes; but the browser says in {@code Origin} whose page it is, and that the page cannot change.
 * Comparing it with {@code Host} would prove nothing: both are the attacker's name. Who sends no {@code Origin} is no browser's page.
 */
final class AllowedOrigins {
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    void requireAllowed(HttpFields headers) throws EngineException {
        List<String> origins = headers.getValuesList(HttpHeader.ORIGIN);
        for (String origin : origins) {
            if (!isOfThisMachine(origin)) {
                throw EngineException.forbidden(
                        "Origin",
                        "Pages of \"%s\" may not call.".formatted(StrictJsonReader.show(origin)),
                        "no Origin, or that of a page of this machine such as http://localhost:6274");
            }
        }
    }

    private static boolean isOfThisMachine(String origin) {
        try {
            var uri = new URI(origin);
            return uri.getHost() != null && LOOPBACK.contains(uri.getHost());
        } catch (URISyntaxException e) {
            return false;
        }
    }
}
