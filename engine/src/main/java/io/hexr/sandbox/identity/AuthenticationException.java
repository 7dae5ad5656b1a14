package io.hexr.sandbox.identity;

/** It is not proven who calls. The message goes to the caller: it says why, and repeats nothing that was sent. */
public final class AuthenticationException extends Exception {
    private static final long serialVersionUID = 1L;

    public AuthenticationException(String reason) {
        super(reason);
    }

    public AuthenticationException(String reason, Throwable cause) {
        super(reason, cause);
    }

    public String reason() {
        return String.valueOf(getMessage());
    }
}
