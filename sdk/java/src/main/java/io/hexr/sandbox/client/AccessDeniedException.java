package io.hexr.sandbox.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The service does not know the caller, or does not serve it. */
public final class AccessDeniedException extends ServiceException {
    private static final long serialVersionUID = 1L;

    AccessDeniedException(Problem problem, @Nullable Duration retryAfter) {
        super(problem, retryAfter);
    }
}
