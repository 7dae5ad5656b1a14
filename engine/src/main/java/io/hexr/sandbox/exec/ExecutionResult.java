package io.hexr.sandbox.exec;

import io.hexr.sandbox.guest.Language;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A run that took place, whatever its exit.
 *
 * @param stdout decoded once over the whole stream; bytes that are not UTF-8 became U+FFFD; empty, as is {@code stderr}, when a listener took the
 *     output
 * @param exitCode the program's own; 128 + n for signal n; 124 when timed out; 137 when out of memory
 * @param memoryUsedMb peak, one decimal, greater than zero
 * @param signal name of the signal that ended the program, such as {@code SIGKILL}; null when it exited by itself
 * @param limit which limit made the engine end the run; null when none did
 * @param artifactsSkipped files that matched but did not come back, and why
 */
public record ExecutionResult(
        String executionId,
        Language language,
        String stdout,
        String stderr,
        int exitCode,
        long executionTimeMs,
        double memoryUsedMb,
        boolean timedOut,
        boolean oomKilled,
        @Nullable String signal,
        boolean stdoutTruncated,
        boolean stderrTruncated,
        @Nullable Limit limit,
        List<Artifact> artifacts,
        List<SkippedArtifact> artifactsSkipped,
        PhaseTimings timings) {

    public ExecutionResult {
        artifacts = List.copyOf(artifacts);
        artifactsSkipped = List.copyOf(artifactsSkipped);
    }

    /** A limit that ends a run. */
    public enum Limit {
        TIME,
        MEMORY,
        PROCESSES;

        /** As the API spells it. */
        public String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** A file that the run made; the path is relative to {@code /workspace}. */
    public record Artifact(String path, String mediaType, byte[] content) {}

    /**
     * A file that matched but did not come back.
     *
     * @param reason {@code too_many}, {@code too_large} or {@code unreadable}
     */
    public record SkippedArtifact(String path, String reason) {}

    /**
     * Where the time of one call went; shown in the Server-Timing header.
     *
     * @param queue waiting for a free place
     * @param pool until a sandbox was there: one that waited, or one resumed for the call
     * @param waited whether it was one that waited; its resume and handshake are then not part of this call
     * @param resume from the decision to resume to the connected channel
     * @param handshake clock and entropy
     * @param layout giving the guest its limits and files
     * @param run from START to END of the guest
     * @param destroy reading the counters; the rest goes on after the answer
     */
    public record PhaseTimings(
            Duration queue,
            Duration pool,
            boolean waited,
            Duration resume,
            Duration handshake,
            Duration layout,
            Duration run,
            Duration destroy) {}
}
