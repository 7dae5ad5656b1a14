package io.hexr.sandbox.client;

import org.jspecify.annotations.Nullable;

/** The thread was interrupted while it waited; the call was given up and the thread is still marked as interrupted. */
public final class CallInterruptedException extends SandboxException {
    private static final long serialVersionUID = 1L;

    CallInterruptedException(String message, @Nullable Throwable cause) {
        super("interrupted", message, cause);
    }
}
