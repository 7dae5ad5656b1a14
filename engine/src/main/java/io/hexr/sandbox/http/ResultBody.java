package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.ExecutionResult;
import io.hexr.sandbox.exec.ExecutionResult.SkippedArtifact;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The body of a run that took place; the specification's five fields come first. */
record ResultBody(
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
        List<ArtifactBody> artifacts,
        List<SkippedArtifact> artifactsSkipped) {

    /** Jackson writes bytes as base64. */
    record ArtifactBody(String path, String mediaType, int size, byte[] contentBase64) {
        static ArtifactBody of(ExecutionResult.Artifact artifact) {
            return new ArtifactBody(
                    artifact.path(), artifact.mediaType(), artifact.content().length, artifact.content());
        }
    }

    static Answer answer(ExecutionResult result) {
        return Answer.json(200, of(result)).with("X-Execution-Id", result.executionId());
    }

    private static ResultBody of(ExecutionResult result) {
        var limit = result.limit();
        return new ResultBody(
                result.stdout(),
                result.stderr(),
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
                limit == null ? null : limit.id(),
                result.artifacts().stream().map(ArtifactBody::of).toList(),
                result.artifactsSkipped());
    }
}
