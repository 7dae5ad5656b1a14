package io.hexr.sandbox.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.EngineProcess;
import io.hexr.sandbox.http.EventClient;
import io.hexr.sandbox.http.EventClient.Event;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Streams of real runs, by an engine that could not hold the largest of them in memory; after each nothing of it is left. A stream must say what
 * the complete answer of the same program says.
 */
@Tag("sandbox")
@Timeout(120)
class StreamingTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int CAP = 64 << 20;

    /** Seconds for what ends by itself or by its caller, however slow the machine is. */
    private static final int LONG = 100;

    private static EngineProcess engine;
    private static Path audit;
    private static Api api;

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        audit = directory.resolve("audit.jsonl");
        engine = EngineProcess.start(Map.of(
                "JAVA_TOOL_OPTIONS", "-Xmx64m",
                "MAX_OUTPUT_BYTES", Integer.toString(CAP),
                "MAX_EXECUTION_TIME", LONG + "s",
                "STREAM_HEARTBEAT", "200ms",
                "MAX_CONCURRENT", "1",
                "READY_POOL_MEMORY_MB", "0",
                "AUDIT_FILE", audit.toString()));
        api = new Api(engine.uri());
    }

    @AfterAll
    static void stop() throws Exception {
        engine.close();
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        api.awaitRunning(0);
        HostTraces traces = HostTraces.of(engine.stateDir());
        assertThat(traces.isEmpty()).as("%s", traces).isTrue();
    }

    private static EventClient stream(String language, String code, double timeout) throws IOException {
        return stream(Map.of("language", language, "code", code, "timeout", timeout));
    }

    private static EventClient stream(Map<String, ?> request) throws IOException {
        return EventClient.call(engine.uri().getPort(), JSON.writeValueAsString(request));
    }

    @Test
    void aHundredThousandShortLinesComeWhole() throws Exception {
        String code = "print('first', flush=True)\nfor i in range(100_000): print(i)";
        try (var client = stream("python", code, LONG)) {
            var events = client.rest();
            var expected = new StringBuilder("first\n");
            LongStream.range(0, 100_000).forEach(i -> expected.append(i).append('\n'));
            assertThat(EventClient.text(events, "stdout")).isEqualTo(expected.toString());
            assertInOrder(events);
        }
    }

    @Test
    void outputComesWhileTheProgramRuns() throws Exception {
        try (var client = stream("bash", "echo early; sleep 1000", LONG)) {
            assertThat(client.next().name()).isEqualTo("start");
            assertThat(client.next().text()).isEqualTo("early\n");
            assertThat(api.get("/health").body().at("/load/running").asInt()).isOne();
        }
    }

    @Test
    void sixtyFourMebibytesWithoutANewlinePassThroughAnEngineWithThatMuchHeap() throws Exception {
        String code = "import os\nfor _ in range(65): os.write(1, b'x' * (1 << 20))";
        try (var client = stream("python", code, LONG)) {
            long size = 0;
            int largest = 0;
            Event event = client.next();
            for (; !event.name().equals("result"); event = client.next()) {
                size += event.text().length();
                largest = Math.max(largest, event.text().length());
            }
            assertThat(size).isEqualTo(CAP);
            assertThat(largest).as("characters in one event").isLessThanOrEqualTo(256 << 10);
            assertThat(event.data().path("stdout_truncated").asBoolean()).isTrue();
            assertThat(event.data().path("exit_code").asInt()).isZero();
        }
    }

    @Test
    void charactersWrittenByteByByteComeWhole() throws Exception {
        String code = """
                import os
                for b in '😀é€'.encode() * 40: os.write(1, bytes([b]))
                os.write(2, b'a\\xff\\xed\\xa0\\x80\\xf0\\x9f')
                """;
        try (var client = stream("python", code, LONG)) {
            var events = client.rest();
            assertThat(EventClient.text(events, "stdout")).isEqualTo("😀é€".repeat(40));
            assertThat(EventClient.text(events, "stderr"))
                    .isEqualTo(api.exec("python", code, LONG).stderr());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "python | 100 | print('out'); import sys; print('err', file=sys.stderr); sys.exit(3)",
                "bash | 5 | echo before; sleep 1000",
                "python | 100 | print('before', flush=True); x = bytearray(b'x' * (1 << 30))",
                "javascript | 100 | require('fs').writeFileSync('a.svg', '<svg/>'); console.log(1)",
                "bash | 100 | kill -9 $$",
            })
    void aStreamSaysWhatTheCompleteAnswerSays(String language, int timeout, String code) throws Exception {
        var request = Map.of("language", language, "code", code, "timeout", timeout, "memory_mb", 64);
        JsonNode complete = api.exec(request).body();
        List<Event> events;
        try (var client = stream(request)) {
            events = client.rest();
        }
        assertInOrder(events);
        assertThat(EventClient.text(events, "stdout"))
                .isEqualTo(complete.path("stdout").asString());
        assertThat(EventClient.text(events, "stderr"))
                .isEqualTo(complete.path("stderr").asString());
        assertThat(events.stream()
                        .filter(event -> event.name().equals("artifact"))
                        .map(Event::data))
                .containsExactlyElementsOf(complete.path("artifacts").values());
        var result = events.getLast().data();
        for (String same :
                List.of("exit_code", "language", "timed_out", "oom_killed", "signal", "stdout_truncated", "limit")) {
            assertThat(result.path(same)).as(same).isEqualTo(complete.path(same));
        }
        assertThat(result.at("/timings_ms/run").asDouble()).isPositive();
    }

    private static void assertInOrder(List<Event> events) {
        var steps = events.stream().map(Event::name).map(StreamingTest::step).toList();
        assertThat(steps).isSorted().containsOnlyOnce(0, 3).startsWith(0).endsWith(3);
        assertThat(events.stream().map(Event::id))
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, events.size()).boxed().toList());
        assertThat(events.getFirst().data().path("execution_id"))
                .isEqualTo(events.getLast().data().path("execution_id"));
    }

    private static int step(String event) {
        return switch (event) {
            case "start" -> 0;
            case "stdout", "stderr" -> 1;
            case "artifact" -> 2;
            case "result" -> 3;
            default -> throw new AssertionError(event);
        };
    }

    @Test
    void aSilentProgramsStreamHasHeartbeats() throws Exception {
        try (var client = stream("bash", "sleep 1000", LONG)) {
            assertThat(client.next().name()).isEqualTo("start");
            client.awaitHeartbeats(3);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sleep 1000", "while :; do :; done", "yes"})
    void aStreamThatIsAbandonedEndsItsRun(String code) throws Exception {
        int before = records();
        try (var client = stream("bash", code, LONG)) {
            assertThat(client.next().name()).isEqualTo("start");
        }
        api.awaitRunning(0); // well before its own timeout would end it
        assertThat(record(before).path("outcome").asString()).isEqualTo("cancelled");
        assertThat(record(before).path("execution_id").asString()).startsWith("exec-");
    }

    @Test
    void aCompleteAnswerThatIsAbandonedEndsItsRunTooAlsoWhileItWaits() throws Exception {
        int before = records();
        var running = post("sleep 1000");
        api.awaitRunning(1);
        var waiting = post("echo never");
        awaitWaiting(1);

        waiting.close();
        awaitWaiting(0);
        assertThat(api.get("/health").body().at("/load/running").asInt()).isOne();

        running.close();
        api.awaitRunning(0);
        for (int call : List.of(before, before + 1)) {
            assertThat(record(call).path("outcome").asString()).isEqualTo("cancelled");
        }
    }

    private static Socket post(String code) throws IOException {
        String body = JSON.writeValueAsString(Map.of("language", "bash", "code", code, "timeout", LONG));
        var socket = new Socket(InetAddress.getLoopbackAddress(), engine.uri().getPort());
        socket.getOutputStream()
                .write(("POST /api/v1/exec HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "
                                + body.length() + "\r\n\r\n" + body)
                        .getBytes(UTF_8));
        return socket;
    }

    private static void awaitWaiting(int calls) throws Exception {
        api.awaitHealth(
                "waiting calls: " + calls, health -> health.at("/load/waiting").asInt(-1) == calls);
    }

    private static int records() throws IOException {
        return Files.exists(audit) ? Files.readAllLines(audit).size() : 0;
    }

    /** Waits for the record: that of a caller who has left is written when its run has ended, which nobody is told. */
    private static JsonNode record(int number) throws IOException {
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (records() <= number) {
            assertThat(System.nanoTime()).as("a record comes").isLessThan(deadline);
            LockSupport.parkNanos(10_000_000);
        }
        return JSON.readTree(Files.readAllLines(audit).get(number)).path("call");
    }

    /** More than the sockets and pipes between them hold. */
    @Test
    void aSlowReaderHoldsUpTheProgramAndMissesNothing() throws Exception {
        String code = "import os\nfor _ in range(48): os.write(1, b'x' * (1 << 20))";
        try (var client = stream("python", code, LONG)) {
            assertThat(client.next().name()).isEqualTo("start");
            int read = client.next().text().length(); // it runs
            long start = System.nanoTime();
            TimeUnit.SECONDS.sleep(2);
            long heldUp = (System.nanoTime() - start) / 1_000_000;
            var events = client.rest();
            assertThat(read + EventClient.text(events, "stdout").length()).isEqualTo(48 << 20);
            assertThat(events.getLast().data().path("execution_time_ms").asLong())
                    .as("how long the program took")
                    .isGreaterThan(heldUp);
        }
    }

    @Test
    void aProgramThatNobodyReadsIsEndedAtItsTimeout() throws Exception {
        try (var client = stream("bash", "yes", 1)) {
            assertThat(client.next().name()).isEqualTo("start");
            TimeUnit.SECONDS.sleep(4);
            var result = client.rest().getLast().data();
            assertThat(result.path("timed_out").asBoolean())
                    .as(result.toString())
                    .isTrue();
        }
    }
}
