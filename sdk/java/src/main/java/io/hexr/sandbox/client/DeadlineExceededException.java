package io.hexr.sandbox.client;

import org.jspecify.annotations.Nullable;

/** The call as a whole took too long, waiting and retries included; the code may have been run. */
public final class DeadlineExceededException extends SandboxException {
    private static final long serialVersionUID = 1L;

    DeadlineExceededException(String message, @Nullable Throwable cause) {
        super("deadline_exceeded", message, cause);
    }
}
