package io.hexr.sandbox.client;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A run that took place, whatever its exit. The fields are those of the API (openapi.yaml). */
public record ExecutionResult(
        String stdout,
        String stderr,
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
        List<Artifact> artifacts,
        List<SkippedArtifact> artifactsSkipped)
        implements Ending {

    public ExecutionResult {
        requireNonNull(stdout, "stdout");
        requireNonNull(stderr, "stderr");
        requireNonNull(executionId, "executionId");
        requireNonNull(language, "language");
        artifacts = List.copyOf(artifacts);
        artifactsSkipped = List.copyOf(artifactsSkipped);
    }

    /** This result, if the program exited with 0. */
    public ExecutionResult raiseForExit() throws ProgramException {
        ProgramException.throwUnlessOk(this);
        return this;
    }
}
