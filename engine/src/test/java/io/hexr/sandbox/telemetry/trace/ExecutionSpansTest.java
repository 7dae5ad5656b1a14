package io.hexr.sandbox.telemetry.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.config.EngineConfig;
import io.hexr.sandbox.config.Machine;
import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import io.hexr.sandbox.exec.ExecutionObserver;
import io.hexr.sandbox.exec.ExecutionRequest;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.policy.Caller;
import io.hexr.sandbox.telemetry.trace.OtlpReceiver.Received;
import io.hexr.sandbox.telemetry.trace.Tracing.Request;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The spans of executions as a collector receives them; the phases are told by the test. */
@Timeout(60)
class ExecutionSpansTest {
    private static final Duration RESUME = Duration.ofMillis(300);
    private static final Duration HANDSHAKE = Duration.ofMillis(20);

    private final OtlpReceiver receiver = new OtlpReceiver();

    ExecutionSpansTest() throws IOException {}

    @AfterEach
    void close() {
        receiver.close();
    }

    /** The trace of one execution. */
    private SpanTree execute(Consumer<ExecutionObserver.Execution> phases, String... variables) throws Exception {
        var environment = new HashMap<>(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint()));
        for (int i = 0; i < variables.length; i += 2) {
            environment.put(variables[i], variables[i + 1]);
        }
        var config = EngineConfig.load(environment, new Machine(2, 4L << 30)).tracing();
        String trace;
        try (var tracing = Tracing.open(config, new Tracing.Service("1", "gvisor", "user_space_kernel"));
                var request =
                        tracing.begin(new Request("POST", "/api/v1/exec", "http", "1.1", null, Optional.empty()))) {
            trace = String.valueOf(request.traceId());
            phases.accept(tracing.begun("exec-1", request()));
            request.answered(200);
        }
        return SpanTree.of(trace, receiver.spans());
    }

    private static ExecutionRequest request() {
        return new ExecutionRequest(
                Caller.ANONYMOUS,
                Language.BASH,
                "",
                Duration.ofSeconds(1),
                64,
                List.of(),
                Map.of(),
                new byte[0],
                List.of(),
                List.of());
    }

    @Test
    void aSandboxThatIsResumedForACallHasItsResumeAndHandshakeInTheCallsTree() throws Exception {
        var spans = execute(execution -> {
            execution.admitted();
            execution.taken(false, Duration.ofMillis(1), RESUME, HANDSHAKE);
            execution.started();
            execution.stopped();
            execution.destroyed();
        });

        assertThat(spans.childrenOf("POST /api/v1/exec")).containsExactlyInAnyOrder("queue", "pool", "layout", "run");
        assertThat(spans.childrenOf("pool")).containsExactlyInAnyOrder("resume", "handshake");
        assertThat(spans.span("resume").duration()).isEqualTo(RESUME);
        assertThat(spans.span("handshake").duration()).isEqualTo(HANDSHAKE);
        assertThat(spans.span("handshake").span().getStartTimeUnixNano())
                .isEqualTo(spans.span("resume").span().getEndTimeUnixNano());
        assertThat(spans.span("pool").attributes()).containsEntry("hexr.sandbox.waited", "false");
        assertThat(spans.span("pool").linkedTraces()).isEmpty();
    }

    @Test
    void aSandboxThatWaitedHasATraceOfItsOwnWithTheRealTimesToWhichTheCallLinks() throws Exception {
        Instant before = Instant.now();
        var spans = execute(execution -> {
            execution.admitted();
            execution.taken(true, Duration.ofMinutes(9), RESUME, HANDSHAKE);
            execution.started();
            execution.stopped();
            execution.destroyed();
        });

        assertThat(spans.names()).doesNotContain("resume", "handshake", "prepare");
        var pool = spans.span("pool");
        assertThat(pool.attributes())
                .containsEntry("hexr.sandbox.waited", "true")
                .containsEntry("hexr.sandbox.ready_for_ms", "540000");
        var prepared = SpanTree.of(pool.linkedTraces().getFirst(), receiver.spans());
        assertThat(prepared.childrenOf("prepare")).containsExactlyInAnyOrder("resume", "handshake");
        assertThat(prepared.span("prepare").parentId()).isEmpty();
        assertThat(prepared.span("prepare").duration()).isEqualTo(RESUME.plus(HANDSHAKE));
        long end = prepared.span("handshake").span().getEndTimeUnixNano();
        assertThat(Duration.ofNanos(end)).isBetween(epoch(before.minusSeconds(541)), epoch(before.minusSeconds(500)));
    }

    private static Duration epoch(Instant instant) {
        return Duration.between(Instant.EPOCH, instant);
    }

    @Test
    void aSandboxWhoseTraceIsNotSampledIsNotLinkedTo() throws Exception {
        var environment = Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint(), "OTEL_TRACES_SAMPLER", "parentbased_always_off");
        var config = EngineConfig.load(environment, new Machine(2, 4L << 30)).tracing();
        var caller = TraceContext.parse(List.of("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"), List.of());
        try (var tracing = Tracing.open(config, new Tracing.Service("1", "gvisor", "user_space_kernel"));
                var request = tracing.begin(new Request("POST", "/api/v1/exec", "http", "1.1", null, caller))) {
            var execution = tracing.begun("exec-1", request());
            execution.admitted();
            execution.taken(true, Duration.ofMinutes(9), RESUME, HANDSHAKE);
            execution.destroyed();
            request.answered(200);
        }
        assertThat(receiver.spans()).extracting(Received::name).contains("pool").doesNotContain("prepare");
        assertThat(receiver.spans())
                .allSatisfy(span -> assertThat(span.linkedTraces()).isEmpty());
    }

    @Test
    void thePhaseInWhichACallFailsHasTheErrorsCode() throws Exception {
        var queued = execute(execution -> {
            execution.failed(new EngineException(ErrorCode.QUEUE_TIMEOUT, ""));
            execution.destroyed();
        });
        assertThat(queued.names()).containsExactlyInAnyOrder("POST /api/v1/exec", "queue");
        assertThat(queued.span("queue").span().getStatus().getMessage()).isEqualTo("queue_timeout");

        var resuming = execute(execution -> {
            execution.admitted();
            execution.failed(new EngineException(ErrorCode.SANDBOX_FAILED, ""));
            execution.destroyed();
        });
        assertThat(resuming.names()).containsExactlyInAnyOrder("POST /api/v1/exec", "queue", "pool");
        assertThat(resuming.span("queue").isError()).isFalse();
        assertThat(resuming.span("pool").span().getStatus().getMessage()).isEqualTo("sandbox_failed");
    }

    @Test
    void aRunThatFailsEndsWhenItStoppedAndItsRemovalBeginsThen() throws Exception {
        var spans = execute(execution -> {
            execution.admitted();
            execution.taken(false, Duration.ZERO, RESUME, HANDSHAKE);
            execution.started();
            execution.stopped();
            execution.failed(new EngineException(ErrorCode.SANDBOX_VIOLATION, ""));
            execution.destroyed();
        });

        assertThat(spans.span("run").span().getStatus().getMessage()).isEqualTo("sandbox_violation");
        assertThat(spans.span("destroy").isError()).isFalse();
        assertThat(spans.span("destroy").span().getStartTimeUnixNano())
                .isEqualTo(spans.span("run").span().getEndTimeUnixNano());
    }
}
