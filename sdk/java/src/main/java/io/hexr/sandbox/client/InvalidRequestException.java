package io.hexr.sandbox.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The call is wrong: {@link #field()} and {@link #legal()} say what to change. */
public final class InvalidRequestException extends ServiceException {
    private static final long serialVersionUID = 1L;

    InvalidRequestException(Problem problem, @Nullable Duration retryAfter) {
        super(problem, retryAfter);
    }
}
