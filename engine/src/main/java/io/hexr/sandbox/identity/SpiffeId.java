package io.hexr.sandbox.identity;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The identity of a workload: {@code spiffe://trust-domain/path} (SPIFFE-ID, section 2). The text is taken as it is or not at all: there is no
 * percent-encoding, no port, no query, no second spelling of the same identity, so equal texts are equal identities and nothing else is.
 *
 * @param path begins with a slash and has at least one segment: an ID without a path names a trust domain, which signs and never calls
 *     (X509-SVID, section 3.1)
 */
public record SpiffeId(TrustDomain trustDomain, String path) {
    /** What a SPIFFE ID may be, as the end of a sentence. */
    public static final String LEGAL = "a SPIFFE ID of a workload, such as spiffe://example.org/agent/demo";

    private static final String SCHEME = "spiffe://";

    /** Section 2.3. */
    private static final int MAX_LENGTH = 2_048;

    /** Neither an empty segment nor {@code .} or {@code ..}, so also no slash at the end. */
    private static final Pattern PATH = Pattern.compile("(?:/(?!\\.{1,2}(?:/|$))[A-Za-z0-9._-]++)+");

    public SpiffeId {
        if (!PATH.matcher(path).matches()) {
            throw new IllegalArgumentException("no path of a SPIFFE ID: " + path);
        }
    }

    public static Optional<SpiffeId> parse(String text) {
        if (text.length() > MAX_LENGTH || !text.startsWith(SCHEME)) {
            return Optional.empty();
        }
        int slash = text.indexOf('/', SCHEME.length());
        if (slash < 0) {
            return Optional.empty();
        }
        String path = text.substring(slash);
        return TrustDomain.parse(text.substring(SCHEME.length(), slash))
                .filter(_ -> PATH.matcher(path).matches())
                .map(domain -> new SpiffeId(domain, path));
    }

    @Override
    public String toString() {
        return SCHEME + trustDomain + path;
    }
}
