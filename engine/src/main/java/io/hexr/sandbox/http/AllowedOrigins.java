package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.json.StrictJsonReader;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;

/**
 * Which web pages may have code run. A page whose own name has come to mean this machine (DNS rebinding) has the same origin as the engine for
 * the browser, and so may send and read what it likes; but the browser says in {@code Origin} whose page it is, and that the page cannot change.
 * That it is the same as {@code Host} proves something only where nobody else can give the name a meaning: an address, a name without a dot,
 * which no public domain is, and every name under https, where the browser has seen its certificate. Pages of this machine may call whatever their
 * port, and others when the operator names them. Who sends no {@code Origin} is no browser's page.
 */
final class AllowedOrigins {
    private static final Pattern ORIGIN =
            Pattern.compile("(?<scheme>https?)://(?<host>\\[[0-9a-f:.]+]|[^:/@\\[\\]]+)(?::\\d+)?");
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    /** An address, or one label. A name whose last label is all digits is an IPv4 address to browsers (WHATWG URL, "ends in a number"). */
    private static final Pattern NOBODY_ELSES = Pattern.compile("\\[.*]|[^.]+|[0-9.]+");

    private final Set<String> named;

    /**
     * @param named by the operator
     */
    AllowedOrigins(List<String> named) {
        this.named = named.stream().map(AllowedOrigins::lowerCase).collect(Collectors.toUnmodifiableSet());
    }

    void requireAllowed(HttpFields headers) throws EngineException {
        for (String origin : headers.getValuesList(HttpHeader.ORIGIN)) {
            if (!isAllowed(lowerCase(origin), headers.get(HttpHeader.HOST))) {
                throw EngineException.forbidden(
                        "Origin",
                        "Pages of \"%s\" may not call.".formatted(StrictJsonReader.show(origin)),
                        "no Origin; that of a page of this machine; the engine's own by address, by https or by a name without a dot; or one "
                                + "of ALLOWED_ORIGINS");
            }
        }
    }

    private boolean isAllowed(String origin, @Nullable String authority) {
        var matcher = ORIGIN.matcher(origin);
        if (!matcher.matches()) {
            return false;
        }
        String scheme = matcher.group("scheme");
        String host = matcher.group("host");
        if (LOOPBACK.contains(host) || named.contains(origin)) {
            return true;
        }
        boolean isSame = authority != null && origin.equals(scheme + "://" + lowerCase(authority));
        return isSame && (scheme.equals("https") || NOBODY_ELSES.matcher(host).matches());
    }

    private static String lowerCase(String text) {
        return text.toLowerCase(Locale.ROOT);
    }
}
