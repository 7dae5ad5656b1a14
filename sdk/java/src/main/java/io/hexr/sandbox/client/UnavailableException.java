package io.hexr.sandbox.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The service is busy, starting, shutting down or broken. */
public final class UnavailableException extends ServiceException {
    private static final long serialVersionUID = 1L;

    UnavailableException(Problem problem, @Nullable Duration retryAfter) {
        super(problem, retryAfter);
    }
}
