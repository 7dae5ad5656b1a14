package io.hexr.sandbox.client;

import org.jspecify.annotations.Nullable;

/**
 * Root of everything that can go wrong, sorted by who is to act on it. Branch on the class or on {@link #code()}, never on the text.
 *
 * <pre>
 * SandboxException
 * ├── ConfigurationException       a setting or a HEXR_SANDBOX_ variable is not valid
 * ├── UnreachableException         no connection to the service, or it broke
 * ├── DeadlineExceededException    the service did not answer within the call's deadline
 * ├── CallInterruptedException     the thread that waited was interrupted
 * ├── InvalidAnswerException       what answered does not speak the service's API
 * ├── ServiceException             the service refused or failed
 * │   ├── InvalidRequestException  400 and its like: the call itself is wrong; never worth a retry
 * │   ├── AccessDeniedException    401, 403
 * │   ├── QuotaExceededException   429: retried until the deadline
 * │   ├── UnavailableException     503: retried until the deadline
 * │   └── ExecutionFailedException 500 and its like: the run got lost; the program is not to blame
 * └── ProgramException             raiseForExit(): the program itself ended badly
 *     ├── ProgramTimedOutException
 *     └── ProgramOutOfMemoryException
 * </pre>
 */
public abstract sealed class SandboxException extends RuntimeException
        permits ConfigurationException,
                UnreachableException,
                DeadlineExceededException,
                CallInterruptedException,
                InvalidAnswerException,
                ServiceException,
                ProgramException {
    private static final long serialVersionUID = 1L;

    private final String code;

    SandboxException(String code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /** Stable, such as {@code unreachable} or the service's {@code invalid_request}. */
    public String code() {
        return code;
    }
}
