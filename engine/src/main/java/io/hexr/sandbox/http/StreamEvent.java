package io.hexr.sandbox.http;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.hexr.sandbox.exec.ExecutionRequest;
import io.hexr.sandbox.exec.ExecutionResult;
import io.hexr.sandbox.exec.ExecutionResult.PhaseTimings;
import io.hexr.sandbox.exec.ExecutionResult.SkippedArtifact;
import io.hexr.sandbox.exec.RunOutcome;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The data of the events of a run, but for artifacts and errors, which are those of complete answers. */
final class StreamEvent {
    private StreamEvent() {}

    /**
     * The sandbox is there.
     *
     * @param timeout in seconds
     */
    record Start(String executionId, String language, double timeout, int memoryMb) {
        static Start of(String executionId, ExecutionRequest request) {
            return new Start(
                    executionId, request.language().id(), request.timeout().toNanos() / 1e9, request.memoryMb());
        }
    }

    /** A piece of stdout or stderr. */
    record Output(String text) {}

    /** {@link ResultBody} without what was sent before, and with the times that a complete answer has in its header. */
    record Result(@JsonUnwrapped RunOutcome outcome, List<SkippedArtifact> artifactsSkipped, Timings timingsMs) {

        static Result of(Duration read, ExecutionResult result, Duration total) {
            return new Result(
                    RunOutcome.of(result), result.artifactsSkipped(), Timings.of(read, result.timings(), total));
        }
    }

    /**
     * The phases of {@link ServerTiming}.
     *
     * @param resume null, as is {@code handshake}, when a sandbox waited
     */
    record Timings(
            double read,
            double queue,
            double pool,
            @Nullable Double resume,
            @Nullable Double handshake,
            double layout,
            double run,
            double destroy,
            double total) {

        private static Timings of(Duration read, PhaseTimings timings, Duration total) {
            return new Timings(
                    milliseconds(read),
                    milliseconds(timings.queue()),
                    milliseconds(timings.pool()),
                    timings.waited() ? null : milliseconds(timings.resume()),
                    timings.waited() ? null : milliseconds(timings.handshake()),
                    milliseconds(timings.layout()),
                    milliseconds(timings.run()),
                    milliseconds(timings.destroy()),
                    milliseconds(total));
        }

        private static double milliseconds(Duration duration) {
            return Math.round(duration.toNanos() / 1e4) / 1e2;
        }
    }
}
