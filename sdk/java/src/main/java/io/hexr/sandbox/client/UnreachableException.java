package io.hexr.sandbox.client;

import org.jspecify.annotations.Nullable;

/** No connection, or it broke before the answer was complete; then the code may have been run. */
public final class UnreachableException extends SandboxException {
    private static final long serialVersionUID = 1L;

    UnreachableException(String message, @Nullable Throwable cause) {
        super("unreachable", message, cause);
    }
}
