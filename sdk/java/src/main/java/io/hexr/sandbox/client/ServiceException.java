package io.hexr.sandbox.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The service's own error (RFC 9457). What answered in its place, such as a proxy, has the code {@code http_STATUS}. It is of this very class only for a status that is no
 * error, such as that of a redirection.
 */
public sealed class ServiceException extends SandboxException
        permits InvalidRequestException,
                AccessDeniedException,
                QuotaExceededException,
                UnavailableException,
                ExecutionFailedException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String title;
    private final String detail;
    private final @Nullable String field;
    private final @Nullable String legal;
    private final boolean retryable;
    private final @Nullable String executionId;
    private final @Nullable Duration retryAfter;

    ServiceException(Problem problem, @Nullable Duration retryAfter) {
        super(problem.code(), problem.text(), null);
        this.status = problem.status();
        this.title = problem.title();
        this.detail = problem.detail();
        this.field = problem.field();
        this.legal = problem.legal();
        this.retryable = problem.retryable();
        this.executionId = problem.executionId();
        this.retryAfter = retryAfter;
    }

    /** What an answer with this problem means. */
    static ServiceException of(Problem problem, @Nullable Duration retryAfter) {
        int status = problem.status();
        return switch (status) {
            case 401, 403 -> new AccessDeniedException(problem, retryAfter);
            case 429 -> new QuotaExceededException(problem, retryAfter);
            case 503 -> new UnavailableException(problem, retryAfter);
            // the only 5xx that is the caller's: it speaks another version of HTTP
            case 505 -> new InvalidRequestException(problem, retryAfter);
            default -> {
                if (status >= 400 && status < 500) {
                    yield new InvalidRequestException(problem, retryAfter);
                }
                yield status >= 500
                        ? new ExecutionFailedException(problem, retryAfter)
                        : new ServiceException(problem, retryAfter);
            }
        };
    }

    public int status() {
        return status;
    }

    public String title() {
        return title;
    }

    /** What is wrong with this call. */
    public String detail() {
        return detail;
    }

    /** The field at fault, such as {@code files[2].path}. */
    public @Nullable String field() {
        return field;
    }

    /** What the field may be. */
    public @Nullable String legal() {
        return legal;
    }

    /** Whether the same call may well succeed later. */
    public boolean retryable() {
        return retryable;
    }

    public @Nullable String executionId() {
        return executionId;
    }

    /** How long the service asks to wait. */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }
}
