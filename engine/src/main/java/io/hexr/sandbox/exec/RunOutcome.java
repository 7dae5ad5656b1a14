package io.hexr.sandbox.exec;

import org.jspecify.annotations.Nullable;

/** What every wire says of a run besides its output and its files: members of the answer, of the last event of a stream, of MCP's content. */
public record RunOutcome(
        int exitCode,
        long executionTimeMs,
        double memoryUsedMb,
        String executionId,
        String language,
        boolean timedOut,
        boolean oomKilled,
        @Nullable String signal,
        boolean stdoutTruncated,
        boolean stderrTruncated,
        @Nullable String limit) {

    public static RunOutcome of(ExecutionResult result) {
        var limit = result.limit();
        return new RunOutcome(
                result.exitCode(),
                result.executionTimeMs(),
                result.memoryUsedMb(),
                result.executionId(),
                result.language().id(),
                result.timedOut(),
                result.oomKilled(),
                result.signal(),
                result.stdoutTruncated(),
                result.stderrTruncated(),
                limit == null ? null : limit.id());
    }
}
