package io.hexr.sandbox.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.config.ConfigException;
import io.hexr.sandbox.config.EngineConfig;
import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import io.hexr.sandbox.exec.ExecutionObserver;
import io.hexr.sandbox.identity.AuthMode;
import io.hexr.sandbox.identity.Authenticator;
import io.hexr.sandbox.identity.SvidSource;
import io.hexr.sandbox.identity.SvidVerifier;
import io.hexr.sandbox.identity.TrustDomain;
import io.hexr.sandbox.identity.TrustedGateway;
import io.hexr.sandbox.policy.PolicySource;
import io.hexr.sandbox.telemetry.audit.Audit;
import io.hexr.sandbox.telemetry.audit.AuditRecord;
import io.hexr.sandbox.telemetry.trace.OtlpReceiver;
import io.hexr.sandbox.telemetry.trace.OtlpReceiver.Received;
import io.hexr.sandbox.telemetry.trace.Tracing;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a collector receives of calls over the real front; the engine behind it only tells of phases. */
@Timeout(60)
class TracedCallsTest {
    private static final String BODY = "{\"code\":\"print('secret')\",\"language\":\"python\"}";
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String PARENT = "00f067aa0ba902b7";
    private static final String SAMPLED = "traceparent: 00-%s-%s-01\r\n".formatted(TRACE, PARENT);

    private final OtlpReceiver receiver = new OtlpReceiver();
    private final Records records = new Records();

    TracedCallsTest() throws IOException {}

    @AfterEach
    void close() {
        receiver.close();
    }

    private static final class Records implements Audit {
        private final List<AuditRecord> kept = new ArrayList<>();
        private volatile boolean full;

        @Override
        public void requireWritable() {}

        @Override
        public synchronized void write(AuditRecord call) throws IOException {
            if (full) {
                throw new IOException("No space left on device");
            }
            kept.add(call);
        }

        @Override
        public void close() {}

        @Override
        public Counts counts() {
            return Counts.NOTHING;
        }
    }

    private interface Calls {
        void make(ServerFixture fixture) throws Exception;
    }

    /** Makes the calls and gives what the collector has when the engine has stopped. */
    private List<Received> trace(HttpServer.Gate gate, Calls calls, String... pairs) throws Exception {
        var config = config(pairs);
        var tracing = Tracing.open(config.tracing(), new Tracing.Service("1.2.3", "gvisor", "user_space_kernel"));
        try (tracing;
                var fixture = new ServerFixture(config, gate, records, tracing, 1L << 30)) {
            fixture.engine.behaviour = request -> {
                phases(tracing.begun("exec-1", request));
                return FakeEngine.result(request, "out");
            };
            calls.make(fixture);
        }
        return receiver.spans();
    }

    private List<Received> trace(Calls calls, String... pairs) throws Exception {
        return trace(ServerFixture.EVERYBODY, calls, pairs);
    }

    private EngineConfig config(String... pairs) throws ConfigException {
        var all = new ArrayList<>(List.of("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint()));
        all.addAll(List.of(pairs));
        return ServerFixture.config(all.toArray(String[]::new));
    }

    private static void phases(ExecutionObserver.Execution execution) {
        execution.admitted();
        execution.taken(false, Duration.ZERO, Duration.ofMillis(3), Duration.ofMillis(1));
        execution.started();
        execution.stopped();
        execution.destroyed();
    }

    private static String post(String body, String headers) {
        return RawClient.post(body, "Content-Type: application/json\r\n" + headers);
    }

    private static Received request(List<Received> spans) {
        return spans.stream()
                .filter(span -> span.name().equals("POST /api/v1/exec"))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no span of a request among " + spans));
    }

    @Test
    void aCallIsAPartOfItsCallersTraceAndTheAnswerSaysWhere() throws Exception {
        var reply = new RawClient.Reply[1];
        var spans = trace(
                fixture -> reply[0] = fixture.exchange(post(BODY, SAMPLED + "tracestate: a=1\r\ntracestate: b=2\r\n")));

        var request = request(spans);
        assertThat(spans).allSatisfy(span -> assertThat(span.traceId()).isEqualTo(TRACE));
        assertThat(request.parentId()).isEqualTo(PARENT);
        assertThat(request.span().getTraceState()).isEqualTo("a=1,b=2");
        assertThat(reply[0].header("traceresponse")).isEqualTo("00-%s-%s-01".formatted(TRACE, request.id()));
        assertThat(records.kept).extracting(AuditRecord::traceId).containsExactly(TRACE);
    }

    @Test
    void aSpanSaysWhoWhatAndHowAndNeverTheProgram() throws Exception {
        var spans = trace(
                fixture -> fixture.exchange(post(BODY, "")),
                "OTEL_SERVICE_NAME",
                "engine",
                "OTEL_RESOURCE_ATTRIBUTES",
                "deployment.environment.name=test",
                "OTEL_EXPORTER_OTLP_HEADERS",
                "authorization=Bearer%20t");

        assertThat(request(spans).attributes())
                .containsEntry("http.request.method", "POST")
                .containsEntry("http.route", "/api/v1/exec")
                .containsEntry("http.response.status_code", "200")
                .containsEntry("url.scheme", "http")
                .containsEntry("network.protocol.version", "1.1")
                .containsEntry("network.peer.address", "127.0.0.1")
                .containsEntry("enduser.id", "anonymous")
                .containsEntry("hexr.execution.id", "exec-1")
                .containsEntry("hexr.language", "python")
                .containsEntry("hexr.outcome", "ok")
                .containsEntry("hexr.backend", "gvisor")
                .containsEntry("hexr.isolation", "user_space_kernel");
        assertThat(request(spans).isError()).isFalse();
        assertThat(receiver.resource())
                .containsEntry("service.name", "engine")
                .containsEntry("service.version", "1.2.3")
                .containsEntry("deployment.environment.name", "test")
                .containsKey("service.instance.id");
        assertThat(receiver.headers().get("Authorization")).containsExactly("Bearer t");
        assertThat(spans.toString()).doesNotContain("secret");
    }

    @Test
    void aCallWithoutATraceBeginsOneAndItsIdIsInAnswerAndRecord() throws Exception {
        var reply = new RawClient.Reply[1];
        var request = request(trace(fixture -> reply[0] = fixture.exchange(post(BODY, ""))));

        assertThat(request.parentId()).isEmpty();
        // sampled, and an id that is random (Level 2)
        assertThat(reply[0].header("traceresponse"))
                .isEqualTo("00-%s-%s-03".formatted(request.traceId(), request.id()));
        assertThat(records.kept).extracting(AuditRecord::traceId).containsExactly(request.traceId());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "traceparent:\r\n",
                "traceparent\r\n",
                "traceparent: 00-00000000000000000000000000000000-00f067aa0ba902b7-01\r\n",
                "traceparent: \u00ff\u0000\r\n",
                "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\ntraceparent: x\r\n",
                "tracestate: a=b\r\n"
            })
    void aContextThatIsNoneBreaksNoCallAndIsNotTakenOver(String headers) throws Exception {
        var reply = new RawClient.Reply[1];
        var spans = trace(fixture -> reply[0] = fixture.exchange(post(BODY, headers)));

        // What is no header at all Jetty refuses before anybody looks at it.
        if (reply[0].status() != 400) {
            assertThat(reply[0].status()).as(reply[0].body()).isEqualTo(200);
            assertThat(request(spans).traceId()).isNotEqualTo(TRACE);
            assertThat(request(spans).parentId()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "=", "A b=c", "a=1,a=2", "a=\u00e9", ",,,", "a=b;c=d,\t, e=f"})
    void aStateThatIsNoneBreaksNoTrace(String state) throws Exception {
        var request =
                request(trace(fixture -> fixture.exchange(post(BODY, SAMPLED + "tracestate: " + state + "\r\n"))));

        assertThat(request.traceId()).isEqualTo(TRACE);
        assertThat(request.parentId()).isEqualTo(PARENT);
    }

    @Test
    void aCallerWhoDoesNotSampleLeavesNoSpansButItsTraceIsInTheRecord() throws Exception {
        var reply = new RawClient.Reply[1];
        var spans = trace(fixture -> reply[0] = fixture.exchange(post(BODY, SAMPLED.replace("-01", "-00"))));

        assertThat(spans).isEmpty();
        assertThat(reply[0].header("traceresponse")).startsWith("00-" + TRACE).endsWith("-00");
        assertThat(records.kept).extracting(AuditRecord::traceId).containsExactly(TRACE);
    }

    @Test
    void theSamplerIsTheOperatorsChoice() throws Exception {
        assertThat(trace(fixture -> fixture.exchange(post(BODY, SAMPLED)), "OTEL_TRACES_SAMPLER", "always_off"))
                .isEmpty();
        assertThat(trace(
                        fixture -> fixture.exchange(post(BODY, "")),
                        "OTEL_TRACES_SAMPLER",
                        "parentbased_traceidratio",
                        "OTEL_TRACES_SAMPLER_ARG",
                        "0"))
                .isEmpty();
    }

    @Test
    void anErrorOfTheEnginesIsOneOfTheSpanWithItsCode() throws Exception {
        var request = request(trace(fixture -> {
            fixture.engine.behaviour = asked -> {
                throw new EngineException(ErrorCode.QUEUE_FULL, "full").of("exec-2");
            };
            fixture.exchange(post(BODY, ""));
        }));

        assertThat(request.isError()).isTrue();
        assertThat(request.span().getStatus().getMessage()).isEqualTo("queue_full");
        assertThat(request.attributes())
                .containsEntry("http.response.status_code", "503")
                .containsEntry("error.type", "queue_full")
                .containsEntry("hexr.outcome", "queue_full");
    }

    @Test
    void anErrorOfTheCallersIsNoneOfTheSpan() throws Exception {
        var request = request(trace(fixture -> fixture.exchange(post("{", ""))));

        assertThat(request.isError()).isFalse();
        assertThat(request.attributes())
                .containsEntry("http.response.status_code", "400")
                .containsEntry("hexr.outcome", "invalid_json");
    }

    @Test
    void aResultThatIsNotGivenBecauseItHasNoRecordIsNotOk() throws Exception {
        records.full = true;
        var request = request(trace(fixture -> fixture.exchange(post(BODY, ""))));

        assertThat(request.isError()).isTrue();
        assertThat(request.attributes()).containsEntry("hexr.outcome", "audit_unavailable");
    }

    /** One that believes the header of whoever is on this machine. */
    private static HttpServer.Gate gateway() {
        var domains = Set.of(new TrustDomain("example.org"));
        return new HttpServer.Gate(
                new Authenticator(
                        AuthMode.XFCC,
                        domains,
                        List.of(TrustedGateway.parse("127.0.0.1").orElseThrow()),
                        new SvidVerifier(SvidSource.none(), domains)),
                PolicySource.everybody(),
                null);
    }

    @Test
    void behindAGatewayTheNameIsTheCallersSpiffeId() throws Exception {
        String agent =
                "x-forwarded-client-cert: By=spiffe://example.org/gateway;Hash=%s;URI=spiffe://example.org/agent/demo\r\n"
                        .formatted("0".repeat(64));
        var request = request(trace(gateway(), fixture -> fixture.exchange(post(BODY, SAMPLED + agent))));

        assertThat(request.attributes()).containsEntry("enduser.id", "spiffe://example.org/agent/demo");
    }

    @Test
    void aCallerWhoIsNotLetInLeavesASpanWithoutAName() throws Exception {
        var request = request(trace(gateway(), fixture -> fixture.exchange(post(BODY, SAMPLED))));

        assertThat(request.traceId()).isEqualTo(TRACE);
        assertThat(request.attributes())
                .containsEntry("hexr.outcome", "unauthenticated")
                .containsEntry("http.response.status_code", "401")
                .doesNotContainKey("enduser.id");
    }

    @Test
    void onlyCallsThatRunCodeLeaveSpans() throws Exception {
        var spans = trace(fixture -> {
            for (String path : List.of("/health", "/api/v1/languages", "/openapi.yaml", "/nothing", "/api/v1/exec/")) {
                fixture.exchange("GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n".formatted(path, SAMPLED));
            }
            fixture.exchange("BREW /api/v1/exec HTTP/1.1\r\nHost: x\r\n\r\n");
        });

        assertThat(spans).extracting(Received::name).containsExactly("HTTP /api/v1/exec");
        assertThat(spans.getFirst().attributes()).containsEntry("http.response.status_code", "405");
    }

    @Test
    void callsOverMcpLeaveSpansToo() throws Exception {
        var reply = new RawClient.Reply[1];
        var spans = trace(fixture ->
                reply[0] = fixture.exchange(RawClient.post("{}", "Content-Type: application/json\r\n" + SAMPLED)
                        .replace("/api/v1/exec", "/mcp")));

        assertThat(spans).extracting(Received::name).containsExactly("POST /mcp");
        assertThat(spans.getFirst().traceId()).isEqualTo(TRACE);
        assertThat(reply[0].header("traceresponse"))
                .isEqualTo("00-%s-%s-01".formatted(TRACE, spans.getFirst().id()));
    }

    @Test
    void withoutTracesAnAnswerNamesNone() throws Exception {
        try (var fixture = new ServerFixture(records)) {
            assertThat(fixture.exchange(post(BODY, SAMPLED)).headers()).doesNotContainKey("traceresponse");
        }
    }
}
