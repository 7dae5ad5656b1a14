package io.hexr.sandbox.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.EngineProcess;
import io.hexr.sandbox.telemetry.trace.OtlpReceiver;
import io.hexr.sandbox.telemetry.trace.SpanTree;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Traces and records of real calls by an engine in a process of its own. */
@Tag("sandbox")
@Timeout(240)
class TracesTest {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String PARENT = "00f067aa0ba902b7";
    private static final String REQUEST = "POST /api/v1/exec";

    @TempDir
    private Path directory;

    private static HttpResponse<String> exec(URI engine, String code, String... headers) throws Exception {
        try (var client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(engine.resolve("/api/v1/exec"))
                    .timeout(Duration.ofMinutes(1))
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(
                            "{\"language\": \"bash\", \"timeout\": 20, \"code\": \"%s\"}".formatted(code)));
            if (headers.length > 0) {
                request.headers(headers);
            }
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    @Test
    void theSpansOfACallAreOneTreeUnderItsCallersTrace() throws Exception {
        Path audit = directory.resolve("audit.jsonl");
        try (var receiver = new OtlpReceiver();
                var engine = EngineProcess.start(Map.of(
                        "OTEL_EXPORTER_OTLP_ENDPOINT",
                        receiver.endpoint(),
                        "OTEL_BSP_SCHEDULE_DELAY",
                        "50",
                        "READY_POOL_MEMORY_MB",
                        "0",
                        "AUDIT_FILE",
                        audit.toString()))) {
            var answer = exec(
                    engine.uri(),
                    "sleep 0.2; echo s3cret; exit 3",
                    "traceparent",
                    "00-%s-%s-01".formatted(TRACE, PARENT));
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);

            var tree = receiver.awaitTrace(TRACE, REQUEST, "destroy");
            var request = tree.span(REQUEST);
            assertThat(request.parentId()).isEqualTo(PARENT);
            assertThat(tree.childrenOf(REQUEST)).containsExactlyInAnyOrder("queue", "pool", "layout", "run", "destroy");
            assertThat(tree.childrenOf("pool")).containsExactlyInAnyOrder("resume", "handshake");
            assertThat(tree.spans()).as("all spans of the trace").hasSize(8);
            assertThat(tree.span("run").duration()).isGreaterThan(Duration.ofMillis(200));
            assertThat(request.attributes())
                    .containsEntry("hexr.exit_code", "3")
                    .containsEntry("hexr.language", "bash")
                    .containsEntry("hexr.outcome", "ok")
                    .containsKeys("hexr.execution.id", "hexr.backend", "hexr.isolation", "hexr.memory_used_mb");
            assertThat(tree.toString()).doesNotContain("s3cret");
            assertThat(answer.headers().firstValue("traceresponse"))
                    .contains("00-%s-%s-01".formatted(TRACE, request.id()));
            assertThat(Files.readString(audit)).contains("\"trace_id\":\"" + TRACE + "\"");
        }
    }

    /** Without a caller's trace, and with a sandbox that waited; then the collector goes and comes back. */
    @Test
    void aCollectorThatIsGoneIsNoConcernOfCallsAndWhatIsLostIsSaid() throws Exception {
        // Bound and not listened to: nobody else gets the port, and who connects is refused.
        var reserved = new Socket();
        reserved.setReuseAddress(true);
        reserved.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        int port = reserved.getLocalPort();
        try (reserved;
                var engine = EngineProcess.start(Map.of(
                        "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:" + port,
                        "OTEL_EXPORTER_OTLP_TIMEOUT", "500",
                        "OTEL_BSP_MAX_QUEUE_SIZE", "20",
                        "OTEL_BSP_SCHEDULE_DELAY", "50"))) {
            long start = System.nanoTime();
            new Api(engine.uri()).awaitFullPool();
            for (int i = 0; i < 10; i++) {
                assertThat(exec(engine.uri(), "echo " + i).statusCode()).isEqualTo(200);
            }
            awaitLog(engine, "traces are incomplete");

            reserved.close();
            try (var receiver = new OtlpReceiver(port)) {
                var tree = receiver.awaitTrace(callUntilTraced(engine.uri(), receiver), REQUEST);
                assertThat(tree.span(REQUEST).parentId()).isEmpty();
                long lines = engine.log()
                        .lines()
                        .filter(line -> line.contains("traces are incomplete"))
                        .count();
                long minutes =
                        (System.nanoTime() - start) / Duration.ofMinutes(1).toNanos();
                assertThat(lines).as("at most one a minute").isLessThanOrEqualTo(minutes + 1);
            }
        }
    }

    /** A call leaves no spans while those of calls before it, which wait to be sent again, take all the room. */
    private static String callUntilTraced(URI engine, OtlpReceiver receiver) throws Exception {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (true) {
            var answer = exec(engine, "echo back");
            String trace =
                    answer.headers().firstValue("traceresponse").orElseThrow().split("-", -1)[1];
            if (receiver.comes(
                    Duration.ofSeconds(3),
                    spans -> SpanTree.of(trace, spans).names().contains(REQUEST))) {
                return trace;
            }
            assertThat(System.nanoTime()).as("no trace comes").isLessThan(deadline);
        }
    }

    private static void awaitLog(EngineProcess engine, String text) throws Exception {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!engine.log().contains(text)) {
            assertThat(System.nanoTime()).as("%s in %s", text, engine.log()).isLessThan(deadline);
            Thread.sleep(50);
        }
    }

    @Test
    void withoutACollectorNothingOfOpenTelemetryIsLoaded() throws Exception {
        Path classes = directory.resolve("classes");
        try (var engine = EngineProcess.start(Map.of("JDK_JAVA_OPTIONS", "-Xlog:class+load:file=" + classes))) {
            assertThat(exec(engine.uri(), "echo 1", "traceparent", "00-%s-%s-01".formatted(TRACE, PARENT))
                            .headers()
                            .firstValue("traceresponse"))
                    .isEmpty();
        }
        assertThat(loaded(classes, "io.hexr.sandbox.telemetry.trace.")).isNotZero();
        assertThat(loaded(classes, "io.opentelemetry.")).isZero();
    }

    private static long loaded(Path log, String prefix) throws IOException {
        try (var lines = Files.lines(log)) {
            return lines.filter(line -> line.contains(" " + prefix)).count();
        }
    }
}
