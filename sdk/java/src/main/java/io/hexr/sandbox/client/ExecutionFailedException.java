package io.hexr.sandbox.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The run got lost; the program is not to blame. */
public final class ExecutionFailedException extends ServiceException {
    private static final long serialVersionUID = 1L;

    ExecutionFailedException(Problem problem, @Nullable Duration retryAfter) {
        super(problem, retryAfter);
    }
}
