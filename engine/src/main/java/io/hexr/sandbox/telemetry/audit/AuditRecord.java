package io.hexr.sandbox.telemetry.audit;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of one call. The code itself only is where {@code AUDIT_CODE} asks for it; its hash says whether a program one has is the one that ran.
 *
 * @param caller SPIFFE ID or {@code anonymous}; null when it was not proven
 * @param proof how the caller was known
 * @param peer address of the connection; null on a unix socket
 * @param outcome {@code ok} for a run that took place, else the error's code
 * @param reason why a caller was refused, in words
 * @param durationMs from the request's head to the record
 */
public record AuditRecord(
        @Nullable String executionId,
        @Nullable String caller,
        @Nullable String proof,
        @Nullable String peer,
        @Nullable String traceId,
        String outcome,
        @Nullable String reason,
        @Nullable Program program,
        @Nullable Run run,
        long durationMs) {

    AuditRecord withoutCode() {
        return new AuditRecord(
                executionId,
                caller,
                proof,
                peer,
                traceId,
                outcome,
                reason,
                program == null ? null : program.withoutCode(),
                run,
                durationMs);
    }

    /**
     * What was asked for.
     *
     * @param code null where it is not kept, and then no member of the line
     */
    public record Program(
            String language,
            String codeSha256,
            int codeBytes,
            long timeoutMs,
            int memoryMb,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String code) {
        public static Program of(String language, String code, Duration timeout, int memoryMb) {
            byte[] bytes = code.getBytes(UTF_8);
            return new Program(language, AuditLine.sha256(bytes), bytes.length, timeout.toMillis(), memoryMb, code);
        }

        Program withoutCode() {
            return new Program(language, codeSha256, codeBytes, timeoutMs, memoryMb, null);
        }
    }

    /** How it ended. */
    public record Run(int exitCode, @Nullable String limit, long executionTimeMs, double memoryUsedMb) {}
}
