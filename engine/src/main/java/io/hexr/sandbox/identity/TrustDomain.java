package io.hexr.sandbox.identity;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The name of a SPIFFE trust domain: who signs identities (SPIFFE-ID, section 2.1).
 *
 * @param name lower case; the specification lets nobody take two spellings for one domain, so another case is another text and refused
 */
public record TrustDomain(String name) {
    /** What a trust domain may be, as the end of a sentence. */
    public static final String LEGAL = "a trust domain of at most 255 characters of a-z 0-9 . - _, such as example.org";

    private static final Pattern FORM = Pattern.compile("[a-z0-9._-]{1,255}");

    public TrustDomain {
        if (!FORM.matcher(name).matches()) {
            throw new IllegalArgumentException("no trust domain: " + name);
        }
    }

    public static Optional<TrustDomain> parse(String text) {
        return FORM.matcher(text).matches() ? Optional.of(new TrustDomain(text)) : Optional.empty();
    }

    @Override
    public String toString() {
        return name;
    }
}
