package io.hexr.sandbox.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The body of every error, as in RFC 9457: its five members, then ours.
 *
 * @param type a tag URI (RFC 4151): a name, not an address
 * @param code what callers branch on
 * @param field the field at fault, or the quota that is used up
 * @param legal what the field may be
 * @param retryable whether the same request may well succeed later
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Problem(
        String type,
        String title,
        int status,
        String detail,
        String code,
        boolean retryable,
        @Nullable String field,
        @Nullable String legal,
        @Nullable String executionId) {

    static Problem of(EngineException e) {
        return of(e.code(), e.code().status(), e.detail(), e.field(), e.legal(), e.executionId());
    }

    static Answer answer(EngineException e) {
        var answer = of(e).answer();
        var retryAfter = e.retryAfter();
        return retryAfter == null ? answer : answer.with("Retry-After", Long.toString(seconds(retryAfter)));
    }

    static Answer answer(ErrorCode code, int status, String detail) {
        return of(code, status, detail, null, null, null).answer();
    }

    private static Problem of(
            ErrorCode code,
            int status,
            String detail,
            @Nullable String field,
            @Nullable String legal,
            @Nullable String executionId) {
        return new Problem(
                "tag:hexr.io,2026:sandbox:" + code.id(),
                code.title(),
                status,
                detail,
                code.id(),
                code.retryable(),
                field == null || field.isEmpty() ? null : field,
                legal,
                executionId);
    }

    private Answer answer() {
        var answer = new Answer(status, "application/problem+json", ApiJson.bytes(this), Map.of());
        return executionId == null ? answer : answer.with("X-Execution-Id", executionId);
    }

    /** Whole seconds, for the header knows no other; at least one, for zero invites a storm. */
    private static long seconds(Duration delay) {
        return Math.max(1, delay.plusMillis(999).toSeconds());
    }
}
