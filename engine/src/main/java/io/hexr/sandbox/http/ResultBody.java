package io.hexr.sandbox.http;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.hexr.sandbox.exec.ExecutionResult;
import io.hexr.sandbox.exec.ExecutionResult.SkippedArtifact;
import io.hexr.sandbox.exec.RunOutcome;
import java.util.List;

/** The body of a run that took place; the specification's five fields come first. */
record ResultBody(
        String stdout,
        String stderr,
        @JsonUnwrapped RunOutcome outcome,
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
        return new ResultBody(
                result.stdout(),
                result.stderr(),
                RunOutcome.of(result),
                result.artifacts().stream().map(ArtifactBody::of).toList(),
                result.artifactsSkipped());
    }
}
