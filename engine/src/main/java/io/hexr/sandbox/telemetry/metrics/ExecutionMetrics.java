package io.hexr.sandbox.telemetry.metrics;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import io.hexr.sandbox.exec.ExecutionObserver;
import io.hexr.sandbox.exec.ExecutionRequest;
import io.hexr.sandbox.exec.ExecutionResult;
import io.hexr.sandbox.guest.Language;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import java.time.Duration;
import java.util.Locale;

/** How long executions and their phases take, how they end, which limits they meet. */
final class ExecutionMetrics implements ExecutionObserver {
    /** How an execution ended, as far as it matters to who watches: the program's own doing, a limit, a refusal, or our failure. */
    enum Outcome {
        OK,
        NONZERO_EXIT,
        TIME,
        MEMORY,
        PROCESSES,
        REFUSED,
        CANCELLED,
        FAILED;

        static Outcome of(ExecutionResult result) {
            var limit = result.limit();
            if (limit == null) {
                return result.exitCode() == 0 ? OK : NONZERO_EXIT;
            }
            return switch (limit) {
                case TIME -> TIME;
                case MEMORY -> MEMORY;
                case PROCESSES -> PROCESSES;
            };
        }

        static Outcome of(ErrorCode code) {
            return switch (code) {
                case RATE_LIMITED, QUEUE_FULL, QUEUE_TIMEOUT, STARTING, DRAINING, INVALID_REQUEST -> REFUSED;
                case CANCELLED -> CANCELLED;
                default -> FAILED;
            };
        }

        String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What a program can run into, whether that ends it or not. */
    private enum Limit {
        TIME,
        MEMORY,
        PROCESSES,
        STDOUT,
        STDERR,
        ARTIFACTS;

        String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Histogram durations;
    private final Histogram phases;
    private final Counter limits;
    private final Counter failures;

    ExecutionMetrics(Instruments instruments) {
        durations = instruments.latency(
                "hexr_execution_duration_seconds",
                "Time from the checked request to the result or the failure, by language and outcome.",
                "language",
                "outcome");
        phases = instruments.latency(
                "hexr_execution_phase_duration_seconds",
                "Time of executions in each phase; destroy comes after the result.",
                "language",
                "phase");
        limits = instruments.counter("hexr_limits_hit_total", "Executions that ran into a limit.", "limit");
        for (var limit : Limit.values()) {
            limits.initLabelValues(limit.id());
        }
        failures = instruments.counter(
                "hexr_execution_failures_total",
                "Executions that got neither a result nor a refusal: the engine or its host is to blame.",
                "code");
        for (var code : ErrorCode.values()) {
            if (Outcome.of(code) == Outcome.FAILED && code.status() >= 500) {
                failures.initLabelValues(code.id());
            }
        }
    }

    @Override
    public Execution begun(String id, ExecutionRequest request) {
        return new Observed(request.language());
    }

    /** Its fields belong to whoever the execution's events come from; each of these threads is started by the one before. */
    private final class Observed implements Execution {
        private final String language;
        private final long begun = System.nanoTime();
        private long phaseBegun = begun;
        private boolean hasSandbox;
        private boolean runs;

        Observed(Language language) {
            this.language = language.id();
        }

        private void ends(String phase) {
            long now = System.nanoTime();
            phases.labelValues(language, phase).observe((now - phaseBegun) / 1e9);
            phaseBegun = now;
        }

        private void ends(Outcome outcome) {
            durations.labelValues(language, outcome.id()).observe((System.nanoTime() - begun) / 1e9);
        }

        @Override
        public void admitted() {
            ends("queue");
        }

        @Override
        public void taken(boolean waited, Duration age, Duration resume, Duration handshake) {
            hasSandbox = true;
            ends("pool");
        }

        @Override
        public void started() {
            runs = true;
            ends("layout");
        }

        @Override
        public void stopped() {
            ends(runs ? "run" : "layout");
        }

        @Override
        public void ended(ExecutionResult result) {
            ends("reply");
            ends(Outcome.of(result));
            count(Limit.TIME, result.timedOut());
            count(Limit.MEMORY, result.oomKilled());
            count(Limit.PROCESSES, result.limit() == ExecutionResult.Limit.PROCESSES);
            count(Limit.STDOUT, result.stdoutTruncated());
            count(Limit.STDERR, result.stderrTruncated());
            count(Limit.ARTIFACTS, !result.artifactsSkipped().isEmpty());
        }

        private void count(Limit limit, boolean hit) {
            if (hit) {
                limits.labelValues(limit.id()).inc();
            }
        }

        @Override
        public void failed(EngineException why) {
            var outcome = Outcome.of(why.code());
            ends(outcome);
            if (outcome == Outcome.FAILED) {
                failures.labelValues(why.code().id()).inc();
            }
            phaseBegun = System.nanoTime();
        }

        @Override
        public void destroyed() {
            if (hasSandbox) {
                ends("destroy");
            }
        }
    }
}
