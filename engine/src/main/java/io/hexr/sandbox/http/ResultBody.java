package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.ExecutionResult;
import io.hexr.sandbox.exec.ExecutionResult.PhaseTimings;
import io.hexr.sandbox.exec.ExecutionResult.SkippedArtifact;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
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
    record ArtifactBody(String path, String mediaType, int size, byte[] contentBase64) {}

    static Answer answer(ExecutionResult result) {
        return Answer.json(200, of(result))
                .with("X-Execution-Id", result.executionId())
                .with("Server-Timing", serverTiming(result.timings()));
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
                result.artifacts().stream()
                        .map(a -> new ArtifactBody(a.path(), a.mediaType(), a.content().length, a.content()))
                        .toList(),
                result.artifactsSkipped());
    }

    private static String serverTiming(PhaseTimings timings) {
        return "queue;dur=%s, sandbox;dur=%s, handshake;dur=%s, layout;dur=%s, run;dur=%s"
                .formatted(
                        milliseconds(timings.queue()),
                        milliseconds(timings.sandbox()),
                        milliseconds(timings.handshake()),
                        milliseconds(timings.layout()),
                        milliseconds(timings.run()));
    }

    private static String milliseconds(Duration duration) {
        return String.format(Locale.ROOT, "%.1f", duration.toNanos() / 1e6);
    }
}
