package io.hexr.sandbox.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The caller has used up its share for now. */
public final class QuotaExceededException extends ServiceException {
    private static final long serialVersionUID = 1L;

    QuotaExceededException(Problem problem, @Nullable Duration retryAfter) {
        super(problem, retryAfter);
    }
}
