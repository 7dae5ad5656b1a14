package io.hexr.sandbox.telemetry.audit;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of one call. The code itself is not; its hash says whether a program one has is the one that ran.
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

    /** What was asked for. */
    public record Program(String language, String codeSha256, int codeBytes, long timeoutMs, int memoryMb) {
        public static Program of(String language, byte[] code, Duration timeout, int memoryMb) {
            return new Program(language, AuditLine.sha256(code), code.length, timeout.toMillis(), memoryMb);
        }
    }

    /** How it ended. */
    public record Run(int exitCode, @Nullable String limit, long executionTimeMs, double memoryUsedMb) {}
}
