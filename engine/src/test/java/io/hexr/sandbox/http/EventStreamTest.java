package io.hexr.sandbox.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import io.hexr.sandbox.exec.ExecutionResult.Artifact;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The event stream over a real socket, of an engine that plays a run. */
@Timeout(60)
class EventStreamTest {
    private static final String BODY = "{\"code\":\"x\",\"language\":\"bash\",\"timeout\":1.5,\"memory_mb\":64}";
    private static final String EVENTS = "Content-Type: application/json\r\nAccept: text/event-stream\r\n";

    @Test
    void aRunIsToldInTheBytesOfTheSpecification() throws Exception {
        try (var fixture = new ServerFixture();
                var client = fixture.connect()) {
            fixture.engine.story = (request, listener, _) -> {
                listener.started("exec-1");
                listener.stdout("a\n\"é".getBytes(UTF_8));
                listener.stderr("b".getBytes(UTF_8));
                return FakeEngine.result(request, "", new Artifact("p.csv", "text/csv", new byte[] {1, 2}));
            };
            var head = client.send(RawClient.post(BODY, EVENTS)).receiveHead();

            assertThat(head.status()).isEqualTo(200);
            assertThat(head.header("Content-Type")).isEqualTo("text/event-stream");
            assertThat(head.header("Cache-Control")).isEqualTo("no-store");
            assertThat(head.header("X-Accel-Buffering")).isEqualTo("no");
            assertThat(head.header("X-Execution-Id")).isEqualTo("exec-1");
            var body = new StringBuilder();
            for (byte[] chunk = client.chunk(); chunk.length > 0; chunk = client.chunk()) {
                body.append(new String(chunk, UTF_8));
            }
            assertThat(body.toString()
                            .replaceFirst("\"total\":[\\d.]+", "\"total\":40.0")
                            .replaceFirst("\"read\":[\\d.]+", "\"read\":0.5"))
                    .isEqualTo("""
                            id: 1
                            event: start
                            data: {"execution_id":"exec-1","language":"bash","timeout":1.5,"memory_mb":64}

                            id: 2
                            event: stdout
                            data: {"text":"a\\n\\"é"}

                            id: 3
                            event: stderr
                            data: {"text":"b"}

                            id: 4
                            event: artifact
                            data: {"path":"p.csv","media_type":"text/csv","size":2,"content_base64":"AQI="}

                            id: 5
                            event: result
                            data: {"exit_code":0,"execution_time_ms":12,"memory_used_mb":34.5,"execution_id":"exec-1",\
                            "language":"bash","timed_out":false,"oom_killed":false,"signal":null,"stdout_truncated":false,\
                            "stderr_truncated":false,"limit":null,"artifacts_skipped":[],"timings_ms":{"read":0.5,"queue":0.1,\
                            "pool":23.0,"resume":20.0,"handshake":3.0,"layout":1.0,"run":12.0,"destroy":0.25,"total":40.0}}

                            """);
            assertThat(client.send(RawClient.post(BODY)).receive().status())
                    .as("the connection serves the next request")
                    .isEqualTo(200);
        }
    }

    @Test
    void theResultEventHasTheFieldsOfACompleteAnswerThatWereNotSentBefore() throws Exception {
        try (var fixture = new ServerFixture();
                var client = EventClient.call(fixture.server.port(), BODY)) {
            var complete = fixture.exchange(RawClient.post(BODY)).json();
            var names = new ArrayList<>(complete.propertyNames());
            names.removeAll(List.of("stdout", "stderr", "artifacts"));
            names.add("timings_ms");

            assertThat(client.rest().getLast().data().propertyNames()).containsExactlyElementsOf(names);
        }
    }

    @Test
    void aCharacterThatIsSplitComesWithItsLastByte() throws Exception {
        try (var fixture = new ServerFixture()) {
            fixture.engine.story = (request, listener, _) -> {
                listener.started("exec-1");
                for (byte b : "😀".getBytes(UTF_8)) {
                    listener.stdout(new byte[] {b});
                }
                listener.stdout(new byte[] {'!', (byte) 0xf0, (byte) 0x9f});
                return FakeEngine.result(request, "");
            };
            try (var client = EventClient.call(fixture.server.port(), BODY)) {
                assertThat(client.rest().stream().map(event -> event.name() + event.text()))
                        .containsExactly("start", "stdout😀", "stdout!", "stdout\ufffd", "result");
            }
        }
    }

    @Test
    void silenceIsFilledWithHeartbeats() throws Exception {
        try (var fixture = new ServerFixture("STREAM_HEARTBEAT", "100ms")) {
            var mayEnd = new CountDownLatch(1);
            fixture.engine.story = (request, listener, _) -> {
                listener.started("exec-1");
                await(mayEnd);
                return FakeEngine.result(request, "");
            };
            try (var client = EventClient.call(fixture.server.port(), BODY)) {
                assertThat(client.next().name()).isEqualTo("start");
                client.awaitHeartbeats(3);
                mayEnd.countDown();
                assertThat(client.next().name()).isEqualTo("result");
            }
        }
    }

    @Test
    void beforeTheStartErrorsAreOrdinaryAnswers() throws Exception {
        try (var fixture = new ServerFixture()) {
            fixture.engine.story = (_, _, _) -> {
                throw new EngineException(ErrorCode.QUEUE_FULL, "full").retryAfter(Duration.ofSeconds(3));
            };
            var busy = fixture.exchange(RawClient.post(BODY, EVENTS));
            assertThat(busy.status()).isEqualTo(503);
            assertThat(busy.header("Content-Type")).isEqualTo("application/problem+json");
            assertThat(busy.header("Retry-After")).isEqualTo("3");
            assertThat(busy.header("Server-Timing")).startsWith("total;dur=");

            assertThat(fixture.exchange(RawClient.post("{", EVENTS)).status()).isEqualTo(400);

            fixture.engine.story = (_, _, _) -> {
                throw new IllegalStateException("/var/lib/secret");
            };
            assertThat(fixture.exchange(RawClient.post(BODY, EVENTS)).status()).isEqualTo(500);
        }
    }

    @Test
    void afterTheStartErrorsAreTheLastEvent() throws Exception {
        try (var fixture = new ServerFixture()) {
            fixture.engine.story = (_, listener, _) -> {
                listener.started("exec-1");
                throw new EngineException(ErrorCode.SANDBOX_FAILED, "lost").of("exec-1");
            };
            try (var client = EventClient.call(fixture.server.port(), BODY)) {
                var events = client.rest();
                assertThat(events).extracting(EventClient.Event::name).containsExactly("start", "error");
                assertThat(events.getLast().data()).hasToString("""
                                {"type":"tag:hexr.io,2026:sandbox:sandbox_failed","title":"The sandbox failed","status":500,\
                                "detail":"lost","code":"sandbox_failed","retryable":true,"execution_id":"exec-1"}""");
            }

            fixture.engine.story = (_, listener, _) -> {
                listener.started("exec-1");
                throw new IllegalStateException("/var/lib/secret");
            };
            try (var client = EventClient.call(fixture.server.port(), BODY)) {
                var error = client.rest().getLast().data();
                assertThat(error.path("code").asString()).isEqualTo("internal");
                assertThat(error.toString()).doesNotContain("secret");
            }
        }
    }

    @Test
    void whoTakesNeitherJsonNorEventsIsToldWhatThereIs() throws Exception {
        try (var fixture = new ServerFixture()) {
            var reply =
                    fixture.exchange(RawClient.post(BODY, "Content-Type: application/json\r\nAccept: text/html\r\n"));
            assertThat(reply.status()).isEqualTo(406);
            assertThat(reply.json().path("code").asString()).isEqualTo("not_acceptable");
            assertThat(reply.json().path("detail").asString()).contains("application/json", "text/event-stream");
            assertThat(fixture.engine.requests).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/event-stream", "application/json"})
    void aClientThatLeavesCancelsItsCall(String accept) throws Exception {
        try (var fixture = new ServerFixture()) {
            var left = new CountDownLatch(1);
            fixture.engine.story = FakeEngine.untilItIsLeft(left);
            var client = fixture.connect();
            client.send(RawClient.post(BODY, "Content-Type: application/json\r\nAccept: %s\r\n".formatted(accept)));
            while (fixture.engine.requests.isEmpty()) {
                Thread.onSpinWait();
            }
            assertThat(left.getCount()).as("the client is there").isOne();
            client.close();
            await(left);
        }
    }

    @Test
    void aConnectionThatBreaksCancelsItsCall() throws Exception {
        try (var fixture = new ServerFixture()) {
            var left = new CountDownLatch(1);
            fixture.engine.story = FakeEngine.untilItIsLeft(left);
            var client = EventClient.call(fixture.server.port(), BODY);
            assertThat(client.next().name()).isEqualTo("start");
            client.reset();
            await(left);
        }
    }

    /** While a call runs the engine reads a byte to see whether its client is there: the byte is the next request's. */
    @ParameterizedTest
    @ValueSource(strings = {"text/event-stream", "application/json"})
    void aRequestThatComesDuringACallIsServedAfterIt(String accept) throws Exception {
        String post = RawClient.post(BODY, "Content-Type: application/json\r\nAccept: %s\r\n".formatted(accept));
        try (var fixture = new ServerFixture();
                var client = fixture.connect()) {
            for (int round = 0; round < 30; round++) {
                var started = new CountDownLatch(1);
                var mayEnd = new CountDownLatch(1);
                fixture.engine.behaviour = request -> {
                    started.countDown();
                    await(mayEnd);
                    return FakeEngine.result(request, "");
                };
                client.send(post);
                await(started);
                client.send("GET /health HTTP/1.1\r\n");
                if (round % 3 == 0) {
                    // Time enough to read the byte; in the other rounds the answer may come before.
                    TimeUnit.MILLISECONDS.sleep(10);
                }
                mayEnd.countDown();
                if (accept.equals("application/json")) {
                    assertThat(client.receive().status()).isEqualTo(200);
                } else {
                    assertThat(client.receiveHead().status()).isEqualTo(200);
                    while (client.chunk().length > 0) {}
                }
                client.send("Host: x\r\n\r\n");
                assertThat(client.receive().json().path("status").asString()).isEqualTo("ok");
            }
        }
    }

    @Test
    void aClientThatTakesNothingHoldsUpTheRunAndIsGoneAfterTheIdleTimeout() throws Exception {
        try (var fixture = new ServerFixture("IDLE_TIMEOUT", "500ms", "MAX_EXECUTION_TIME", "40s")) {
            var sent = new AtomicLong();
            var ended = new CountDownLatch(1);
            fixture.engine.story = (_, listener, cancellation) -> {
                listener.started("exec-1");
                while (!cancellation.isCancelled()) {
                    listener.stdout(new byte[1 << 16]);
                    sent.addAndGet(1 << 16);
                }
                ended.countDown();
                throw new EngineException(ErrorCode.CANCELLED, "gone");
            };
            try (var client = EventClient.call(fixture.server.port(), BODY)) {
                await(ended);
                assertThat(sent.get()).as("bytes that the sockets hold").isLessThan(32 << 20);
                assertThat(client.next().name()).isEqualTo("start");
            }
        }
    }

    @Test
    void aClientThatTakesALittleNowAndThenIsGoneWhenTheTimeOfTheWholeIsOver() throws Exception {
        try (var fixture = new ServerFixture("MAX_EXECUTION_TIME", "500ms", "REQUEST_TIMEOUT", "500ms")) {
            var cancelled = new CountDownLatch(1);
            fixture.engine.story = (_, listener, cancellation) -> {
                cancellation.onCancel(cancelled::countDown);
                listener.started("exec-1");
                while (!cancellation.isCancelled()) {
                    listener.stdout(new byte[1 << 16]);
                }
                throw new EngineException(ErrorCode.CANCELLED, "gone");
            };
            String body = BODY.replace("1.5", "0.5");
            try (var client = fixture.connect()) {
                client.send(RawClient.post(body, EVENTS)).receiveHead();
                while (cancelled.getCount() > 0) {
                    client.chunk();
                    cancelled.await(20, TimeUnit.MILLISECONDS);
                }
            } catch (IOException cutOff) {
                await(cancelled);
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
