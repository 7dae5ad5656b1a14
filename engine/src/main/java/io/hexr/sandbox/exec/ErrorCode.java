package io.hexr.sandbox.exec;

import java.util.Locale;

/**
 * Every way in which a call ends without a result. The code is part of the API and never changes its meaning; callers branch on it, not on the text.
 */
public enum ErrorCode {
    INVALID_JSON(400, false, "The body is not valid JSON"),
    INVALID_REQUEST(400, false, "The request is not valid"),
    BAD_HTTP(400, false, "The HTTP message is not valid"),
    UNAUTHENTICATED(401, false, "It is not proven who calls"),
    FORBIDDEN(403, false, "The policy does not allow it"),
    NOT_FOUND(404, false, "There is nothing at this path"),
    METHOD_NOT_ALLOWED(405, false, "The method is not allowed here"),
    NOT_ACCEPTABLE(406, false, "There is no answer of the wanted type"),
    REQUEST_TIMEOUT(408, true, "The request did not arrive in time"),
    BODY_TOO_LARGE(413, false, "The body is too large"),
    URI_TOO_LONG(414, false, "The URI is too long"),
    UNSUPPORTED_MEDIA_TYPE(415, false, "The content type is not supported"),
    HEADER_TOO_LARGE(431, false, "The headers are too large"),
    /** The caller went away; nobody reads this answer, logs and metrics do. */
    CANCELLED(499, false, "The caller went away"),

    RATE_LIMITED(429, true, "The caller has used up its quota"),
    QUEUE_FULL(503, true, "The queue is full"),
    QUEUE_TIMEOUT(503, true, "No sandbox became free in time"),
    STARTING(503, true, "The engine is starting"),
    DRAINING(503, true, "The engine is shutting down"),
    /** Calls without a record do not take place. */
    AUDIT_UNAVAILABLE(503, true, "The audit log cannot be written"),
    /** The engine cannot make sandboxes at all: no template, no backend. */
    UNAVAILABLE(503, true, "The engine cannot run code at the moment"),

    /** The host could not give the program a sandbox, or lost it; the program is not to blame. */
    SANDBOX_FAILED(500, true, "The sandbox failed"),
    /** What came out of the sandbox was not the agent's protocol: the program broke in upon its own agent. */
    SANDBOX_VIOLATION(500, false, "The sandbox broke the protocol and was destroyed"),
    INTERNAL(500, false, "The engine has a defect"),
    HTTP_VERSION_NOT_SUPPORTED(505, false, "The HTTP version is not supported");

    private final int status;
    private final boolean retryable;
    private final String title;

    ErrorCode(int status, boolean retryable, String title) {
        this.status = status;
        this.retryable = retryable;
        this.title = title;
    }

    /** As the API spells it. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    public int status() {
        return status;
    }

    /** Whether the same request may well succeed later. */
    public boolean retryable() {
        return retryable;
    }

    public String title() {
        return title;
    }
}
