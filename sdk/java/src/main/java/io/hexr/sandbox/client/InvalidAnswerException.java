package io.hexr.sandbox.client;

import org.jspecify.annotations.Nullable;

/** What answered does not speak the API of the service. */
public final class InvalidAnswerException extends SandboxException {
    private static final long serialVersionUID = 1L;

    InvalidAnswerException(String message, @Nullable Throwable cause) {
        super("invalid_answer", message, cause);
    }
}
