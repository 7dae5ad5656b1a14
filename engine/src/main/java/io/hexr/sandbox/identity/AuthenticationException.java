package io.hexr.sandbox.identity;

import java.util.Locale;

/** It is not proven who calls. The message goes to the caller: it says why, and repeats nothing that was sent. */
public final class AuthenticationException extends Exception {
    private static final long serialVersionUID = 1L;

    /** What was wrong, for metrics. */
    public enum Kind {
        NO_CERTIFICATE,
        /** It is not valid, or not one of a workload. */
        CERTIFICATE,
        TRUST_DOMAIN,
        /** What should say who calls is missing, malformed, doubled or not to be believed. */
        HEADER,
        UNTRUSTED_PEER,
        /** The engine lacks its own identity or the bundle to verify others. */
        NO_TRUST;

        public String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Kind kind;

    public AuthenticationException(Kind kind, String reason) {
        super(reason);
        this.kind = kind;
    }

    public AuthenticationException(Kind kind, String reason, Throwable cause) {
        super(reason, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }

    public String reason() {
        return String.valueOf(getMessage());
    }
}
