package io.hexr.sandbox.client;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a run ended that was streamed: an {@link ExecutionResult} without what came before it, and where the time went. The fields are those of the API (openapi.yaml).
 */
public record StreamResult(
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
        @Nullable String limit,
        List<SkippedArtifact> artifactsSkipped,
        Timings timingsMs)
        implements Ending, ExecutionEvent {

    public StreamResult {
        requireNonNull(executionId, "executionId");
        requireNonNull(language, "language");
        artifactsSkipped = List.copyOf(artifactsSkipped);
        requireNonNull(timingsMs, "timingsMs");
    }

    /** This result, if the program exited with 0. */
    public StreamResult raiseForExit() throws ProgramException {
        ProgramException.throwUnlessOk(this);
        return this;
    }

    /** Milliseconds by phase; {@code resume} and {@code handshake} are null when a sandbox waited. */
    public record Timings(
            double read,
            double queue,
            double pool,
            @Nullable Double resume,
            @Nullable Double handshake,
            double layout,
            double run,
            double destroy,
            double total) {}
}
