package io.hexr.sandbox.exec;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A call that ends without a result. The message goes to the caller: it says what is wrong and what to do, and names nothing of the
 * host. What only operators may know goes into the cause and into the log.
 */
public final class EngineException extends Exception {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;
    private final @Nullable String field;
    private final @Nullable String legal;
    private final @Nullable Duration retryAfter;
    private final @Nullable String executionId;

    private EngineException(
            ErrorCode code,
            String detail,
            @Nullable String field,
            @Nullable String legal,
            @Nullable Duration retryAfter,
            @Nullable String executionId,
            @Nullable Throwable cause) {
        super(detail, cause);
        this.code = code;
        this.field = field;
        this.legal = legal;
        this.retryAfter = retryAfter;
        this.executionId = executionId;
    }

    public EngineException(ErrorCode code, String detail) {
        this(code, detail, null, null, null, null, null);
    }

    public EngineException(ErrorCode code, String detail, Throwable cause) {
        this(code, detail, null, null, null, null, cause);
    }

    /** A value of the request that breaks a rule: which one, what is wrong, and what would be right. */
    public static EngineException invalid(String field, String detail, String legal) {
        return new EngineException(ErrorCode.INVALID_REQUEST, detail, field, legal, null, null, null);
    }

    /** A value of the request that is legal, but not for this caller. */
    public static EngineException forbidden(String field, String detail, String legal) {
        return new EngineException(ErrorCode.FORBIDDEN, detail, field, legal, null, null, null);
    }

    /** The caller has had what its quota gives; the field is the quota's name. */
    public static EngineException overQuota(String quota, String detail, String legal) {
        return new EngineException(ErrorCode.RATE_LIMITED, detail, quota, legal, null, null, null);
    }

    /** The engine shuts down; another one, or this one started anew, will answer. */
    static EngineException draining(String detail) {
        return new EngineException(ErrorCode.DRAINING, detail).retryAfter(Duration.ofSeconds(5));
    }

    /** Nobody waits for the answer any more. */
    static EngineException cancelled(String detail) {
        return new EngineException(ErrorCode.CANCELLED, detail);
    }

    /** The same failure, and when another try makes sense. */
    public EngineException retryAfter(Duration delay) {
        return keepingTrace(new EngineException(code, detail(), field, legal, delay, executionId, getCause()));
    }

    /** The same failure with the execution it belongs to, so that the caller can quote it. */
    public EngineException of(String id) {
        return keepingTrace(new EngineException(code, detail(), field, legal, retryAfter, id, getCause()));
    }

    private EngineException keepingTrace(EngineException copy) {
        copy.setStackTrace(getStackTrace());
        return copy;
    }

    public ErrorCode code() {
        return code;
    }

    public String detail() {
        return String.valueOf(getMessage());
    }

    /** Path of the field at fault, such as {@code files[2].path}. */
    public @Nullable String field() {
        return field;
    }

    /** What the field may be. */
    public @Nullable String legal() {
        return legal;
    }

    public @Nullable Duration retryAfter() {
        return retryAfter;
    }

    public @Nullable String executionId() {
        return executionId;
    }
}
