package io.hexr.sandbox.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import io.hexr.sandbox.identity.AuthMode;
import io.hexr.sandbox.identity.Authenticator;
import io.hexr.sandbox.identity.SvidSource;
import io.hexr.sandbox.identity.SvidVerifier;
import io.hexr.sandbox.identity.TrustDomain;
import io.hexr.sandbox.identity.TrustedGateway;
import io.hexr.sandbox.policy.PolicySource;
import io.hexr.sandbox.telemetry.metrics.PrometheusText;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a Prometheus that asks gets; the values of executions are in the tests of the running engine. */
@Timeout(60)
class MetricsEndpointTest {
    private static final Set<TrustDomain> DOMAINS = Set.of(new TrustDomain("example.org"));

    /** Agents behind a gateway on this machine. */
    private static final HttpServer.Gate XFCC = new HttpServer.Gate(
            new Authenticator(
                    AuthMode.XFCC,
                    DOMAINS,
                    List.of(TrustedGateway.parse("127.0.0.1").orElseThrow()),
                    new SvidVerifier(SvidSource.none(), DOMAINS)),
            PolicySource.everybody(),
            null);

    private static String get(String headers) {
        return "GET /metrics HTTP/1.1\r\nHost: x\r\n%s\r\n".formatted(headers);
    }

    private static String call(int agent) {
        return RawClient.post(
                "{\"code\":\"1\",\"language\":\"python\"}",
                "Content-Type: application/json\r\nx-forwarded-client-cert: By=spiffe://example.org/gateway;Hash=%s;URI=spiffe://example.org/agent-%d\r\n"
                        .formatted("a".repeat(64), agent));
    }

    private static PrometheusText read(ServerFixture fixture) {
        return PrometheusText.parse(new String(fixture.metrics.expose(null).body(), UTF_8));
    }

    /** Once so many requests are counted: that is when they are complete, a moment after the client has its answer. */
    private static PrometheusText readAfter(ServerFixture fixture, int requests) {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        var metrics = read(fixture);
        while (metrics.value("hexr_http_requests_total") < requests) {
            assertThat(System.nanoTime()).as("in time; %s", metrics.samples()).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
            metrics = read(fixture);
        }
        // the others of that reading may be older than its count
        return read(fixture);
    }

    @Test
    void textIsTheDefaultAndOpenMetricsComesToWhoAsksForIt() throws Exception {
        try (var fixture = new ServerFixture()) {
            var text = fixture.exchange(get(""));
            assertThat(text.status()).isEqualTo(200);
            assertThat(text.header("Content-Type")).startsWith("text/plain; version=0.0.4");
            assertThat(PrometheusText.parse(text.body()).value("hexr_build_info", "version", "1.2.3"))
                    .isEqualTo(1);

            var open = fixture.exchange(get("Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5\r\n"));
            assertThat(open.header("Content-Type")).startsWith("application/openmetrics-text; version=1.0.0");
            assertThat(open.body()).endsWith("# EOF\n");
            assertThat(PrometheusText.parse(open.body()).value("hexr_build_info", "version", "1.2.3"))
                    .isEqualTo(1);
        }
    }

    @Test
    void namesFollowTheRulesOfPrometheus() throws Exception {
        try (var fixture = new ServerFixture()) {
            fixture.exchange(get(""));
            var metrics = PrometheusText.parse(fixture.exchange(get("")).body());
            assertThat(metrics.types()).isNotEmpty().allSatisfy((name, type) -> {
                assertThat(name).matches("(hexr|jvm|process)_[a-z0-9_]+");
                assertThat(name.endsWith("_total")).as("%s is a %s", name, type).isEqualTo(type.equals("counter"));
                assertThat(name).doesNotContain("_ms", "_millis", "_mb", "_kb");
            });
        }
    }

    @Test
    void answersAndCallsAreCountedByPathStatusAndOutcome() throws Exception {
        try (var fixture = new ServerFixture()) {
            fixture.exchange(RawClient.post("{\"code\":\"1\",\"language\":\"python\"}"));
            fixture.exchange(RawClient.post("{\"code\":\"1\",\"language\":\"cobol\"}"));
            fixture.engine.behaviour = _ -> {
                throw new EngineException(ErrorCode.QUEUE_FULL, "full").retryAfter(Duration.ofSeconds(1));
            };
            fixture.exchange(RawClient.post("{\"code\":\"1\",\"language\":\"python\"}"));
            fixture.exchange("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n");

            var metrics = readAfter(fixture, 4);
            assertThat(metrics.value("hexr_calls_total", "outcome", "ok")).isEqualTo(1);
            assertThat(metrics.value("hexr_calls_total", "outcome", "invalid_request"))
                    .isEqualTo(1);
            assertThat(metrics.value("hexr_calls_total", "outcome", "queue_full"))
                    .isEqualTo(1);
            assertThat(metrics.value("hexr_http_requests_total", "path", "/api/v1/exec"))
                    .isEqualTo(3);
            assertThat(metrics.value("hexr_http_requests_total", "path", "/api/v1/exec", "status", "503"))
                    .isEqualTo(1);
            assertThat(metrics.value("hexr_http_requests_total", "path", "other", "status", "404"))
                    .isEqualTo(1);
            assertThat(metrics.value("hexr_http_request_duration_seconds_count", "path", "/api/v1/exec"))
                    .isEqualTo(3);
        }
    }

    @Test
    void whoIsNotLetInReadsNoMetrics() throws Exception {
        try (var fixture = new ServerFixture(ServerFixture.config(), XFCC, 1L << 30)) {
            assertThat(fixture.exchange(get("")).status()).isEqualTo(401);
            assertThat(read(fixture).value("hexr_authentication_failures_total", "reason", "header"))
                    .isEqualTo(1);
        }
    }

    @Test
    void onAPortOfItsOwnEverybodyReadsAndNothingElseIsThere() throws Exception {
        var config = ServerFixture.config("METRICS_LISTEN_ADDRESS", "127.0.0.1:0");
        try (var fixture = new ServerFixture(config, XFCC, 1L << 30);
                var server =
                        MetricsServer.start(config, config.metricsAddress().orElseThrow(), XFCC, fixture.metrics)) {
            try (var client = new RawClient(server.port())) {
                assertThat(client.send(get("")).receive().status()).isEqualTo(200);
            }
            try (var client = new RawClient(server.port())) {
                assertThat(client.send(call(1)).receive().status()).isEqualTo(404);
            }
            assertThat(fixture.exchange(get("")).status())
                    .as("not on the main port")
                    .isEqualTo(404);
        }
    }

    @Test
    void whatCallersSendMakesNoNewSeries() throws Exception {
        try (var fixture = new ServerFixture(ServerFixture.config(), XFCC, 1L << 30)) {
            hostileTraffic(fixture, 0);
            int before = readAfter(fixture, 4).samples().size();
            for (int i = 1; i < 200; i++) {
                hostileTraffic(fixture, i);
            }
            var after = readAfter(fixture, 800);
            assertThat(after.samples()).hasSize(before).hasSizeLessThan(500);
            assertThat(after.value("hexr_calls_total", "outcome", "ok")).isEqualTo(200);
            assertThat(after.samples())
                    .allSatisfy(sample -> assertThat(sample.labels().values())
                            .noneMatch(value -> value.contains("agent-") || value.contains("secret")));
        }
    }

    /** Another agent, path, method, header and trace each time. */
    private static void hostileTraffic(ServerFixture fixture, int i) throws Exception {
        assertThat(fixture.exchange(call(i)).status()).isEqualTo(200);
        fixture.exchange("GET /secret-%d HTTP/1.1\r\nHost: h%d\r\n\r\n".formatted(i, i));
        fixture.exchange("SECRET%d /health HTTP/1.1\r\nHost: x\r\n\r\n".formatted(i));
        fixture.exchange("GET /metrics HTTP/1.1\r\nHost: x\r\nx-forwarded-client-cert: secret-%d\r\n\r\n".formatted(i));
    }
}
