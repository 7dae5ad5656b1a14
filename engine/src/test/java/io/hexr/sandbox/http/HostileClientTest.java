package io.hexr.sandbox.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that are slow, silent, huge or talk no HTTP. Each test ends by asking whether the server still serves. */
@Timeout(60)
class HostileClientTest {
    private static final String HELLO = "{\"code\":\"hello\",\"language\":\"bash\"}";
    private static final String HEALTH = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";
    private static final int MIB = 1 << 20;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "400 | GARBAGE\\r\\n\\r\\n",
                "400 | \\0\\1\\2\\3\\r\\n\\r\\n",
                "400 | GET\\r\\n\\r\\n",
                "400 | GET /health HTTP/1.1\\r\\n\\r\\n", // no Host
                "400 | GET /health HTTP/1.1\\r\\nHost: x\\r\\nHost: y\\r\\n\\r\\n",
                "400 | GET /health HTTP/1.1\\r\\nHost: x\\r\\nno colon\\r\\n\\r\\n",
                "400 | GET /health HTTP/1.1\\r\\nHost: x\\r\\nA: b\\r\\n c: folded\\r\\n\\r\\n",
                "400 | GET /%zz HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n",
                "400 | GET /%00 HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n",
                "400 | GET /..%2f..%2fetc/passwd HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n",
                "400 | GET /../../etc/passwd HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n",
                "400 | POST /api/v1/exec HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: -1\\r\\n\\r\\n",
                "400 | POST /api/v1/exec HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: ten\\r\\n\\r\\n",
                "400 | POST /api/v1/exec HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 2\\r\\nContent-Length: 3\\r\\n\\r\\n{}",
                "400 | POST /api/v1/exec HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 2\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n{}",
                "400 | POST /api/v1/exec HTTP/1.1\\r\\nHost: x\\r\\nTransfer-Encoding: gzip\\r\\n\\r\\n",
                "505 | GET /health HTTP/7.3\\r\\nHost: x\\r\\n\\r\\n",
                "505 | PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n", // HTTP/2 without asking
                "417 | POST /api/v1/exec HTTP/1.1\\r\\nHost: x\\r\\nExpect: miracles\\r\\nContent-Length: 2\\r\\n\\r\\n{}",
            })
    void whatIsNoHttpIsRefusedWithAProblem(int status, String request) throws Exception {
        try (var fixture = new ServerFixture()) {
            var reply = fixture.exchange(unescape(request));

            assertThat(reply.status()).as(reply.body()).isEqualTo(status);
            assertProblem(reply, status);
            assertServes(fixture);
        }
    }

    @Test
    void httpOf1991IsRefused() throws Exception {
        try (var fixture = new ServerFixture();
                var client = fixture.connect()) {
            assertThat(client.send("GET /health\r\n").receive().status()).isBetween(400, 505);
            assertServes(fixture);
        }
    }

    @Test
    void aHeadThatIsTooLargeIs431() throws Exception {
        try (var fixture = new ServerFixture("MAX_HEADER_BYTES", "8KiB")) {
            var reply =
                    fixture.exchange("GET /health HTTP/1.1\r\nHost: x\r\nA: %s\r\n\r\n".formatted("a".repeat(9_000)));

            assertProblem(reply, 431);
            assertThat(reply.json().path("code").asString()).isEqualTo("header_too_large");
            assertServes(fixture);
        }
    }

    @Test
    void aUriThatIsTooLongIs414() throws Exception {
        try (var fixture = new ServerFixture("MAX_HEADER_BYTES", "8KiB")) {
            var reply = fixture.exchange("GET /%s HTTP/1.1\r\nHost: x\r\n\r\n".formatted("a".repeat(9_000)));

            assertProblem(reply, 414);
            assertThat(reply.json().path("code").asString()).isEqualTo("uri_too_long");
            assertServes(fixture);
        }
    }

    @Test
    void aClientThatDribblesItsHeadIsCutOff() throws Exception {
        try (var fixture = new ServerFixture("IDLE_TIMEOUT", "500ms");
                var client = fixture.connect()) {
            long start = System.nanoTime();
            client.send("GET /health HTTP/1.1\r\n");
            assertThat(dribbleUntilCutOff(client, "X-Header: slow\r\n")).isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
            assertServes(fixture);
        }
    }

    @Test
    void aClientThatDribblesItsHeadAfterAnAnswerIsCutOffToo() throws Exception {
        try (var fixture = new ServerFixture("IDLE_TIMEOUT", "500ms");
                var client = fixture.connect()) {
            assertThat(client.send(HEALTH).receive().status()).isEqualTo(200);
            client.send("GET /health HTTP/1.1\r\n");
            assertThat(dribbleUntilCutOff(client, "X-Header: slow\r\n")).isTrue();
            assertServes(fixture);
        }
    }

    @Test
    void aSilentConnectionIsClosed() throws Exception {
        try (var fixture = new ServerFixture("IDLE_TIMEOUT", "300ms");
                var client = fixture.connect()) {
            assertThat(client.isClosedByServer()).isTrue();
            assertServes(fixture);
        }
    }

    @Test
    void aClientThatDribblesItsBodyGets408() throws Exception {
        try (var fixture = new ServerFixture("REQUEST_TIMEOUT", "1s");
                var client = fixture.connect()) {
            client.send(RawClient.post(HELLO).replace("Content-Length: 34", "Content-Length: 100000"));
            long start = System.nanoTime();
            var dribble = Thread.ofVirtual().start(() -> dribble(client));

            var reply = client.receive();

            assertProblem(reply, 408);
            assertThat(reply.json().path("code").asString()).isEqualTo("request_timeout");
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
            assertThat(fixture.engine.requests).isEmpty();
            dribble.interrupt();
            dribble.join();
            assertServes(fixture);
        }
    }

    @Test
    void aClientThatStopsInItsBodyGets408() throws Exception {
        try (var fixture = new ServerFixture("REQUEST_TIMEOUT", "500ms");
                var client = fixture.connect()) {
            client.send(RawClient.post(HELLO).replace("Content-Length: 34", "Content-Length: 35"));

            assertProblem(client.receive(), 408);
            assertThat(client.isClosedByServer()).isTrue();
            assertServes(fixture);
        }
    }

    @Test
    void aClientThatHalfClosesInItsBodyGets400() throws Exception {
        try (var fixture = new ServerFixture();
                var client = fixture.connect()) {
            client.send(RawClient.post(HELLO).replace("Content-Length: 34", "Content-Length: 35"))
                    .halfClose();

            assertProblem(client.receive(), 400);
            assertThat(fixture.engine.requests).isEmpty();
            assertServes(fixture);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"zz\r\nabc\r\n", "-1\r\n", "3\r\nabcdef\r\n", "ffffffffffffffffffff\r\n"})
    void aBrokenChunkIs400(String chunk) throws Exception {
        try (var fixture = new ServerFixture();
                var client = fixture.connect()) {
            String head = RawClient.post("", "Content-Type: application/json\r\n")
                    .replace("Content-Length: 0", "Transfer-Encoding: chunked");

            assertProblem(client.send(head + chunk).receive(), 400);
            assertThat(fixture.engine.requests).isEmpty();
            assertServes(fixture);
        }
    }

    @Test
    void aClientThatGoesAwayInItsBodyHarmsNobody() throws Exception {
        try (var fixture = new ServerFixture()) {
            for (int i = 0; i < 50; i++) {
                try (var client = fixture.connect()) {
                    client.send(RawClient.post(HELLO).substring(0, 60 + i));
                }
            }
            assertThat(fixture.engine.requests).isEmpty();
            assertServes(fixture);
        }
    }

    @Test
    void aBodyOf40MegabytesGetsAReadable413() throws Exception {
        try (var fixture = new ServerFixture();
                var client = fixture.connect()) {
            int length = 40 * MIB;
            client.send("POST /api/v1/exec HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "
                    + length + "\r\n\r\n");
            byte[] block = new byte[MIB];
            for (int sent = 0; sent < length; sent += block.length) {
                client.send(block);
            }

            var reply = client.receive();
            assertProblem(reply, 413);
            assertThat(reply.json().path("code").asString()).isEqualTo("body_too_large");
            assertThat(reply.header("Connection")).isEqualTo("close");
            assertThat(client.isClosedByServer()).isTrue();
            assertServes(fixture);
        }
    }

    @Test
    void aChunkedBodyWithoutEndGetsAReadable413() throws Exception {
        try (var fixture = new ServerFixture("MAX_REQUEST_BYTES", "1MiB");
                var client = fixture.connect()) {
            client.send(RawClient.post("", "Content-Type: application/json\r\n")
                    .replace("Content-Length: 0", "Transfer-Encoding: chunked"));
            String block = "10000\r\n%s\r\n".formatted(" ".repeat(0x10000));
            for (int i = 0; i < 32; i++) {
                client.send(block);
            }

            assertProblem(client.receive(), 413);
            assertServes(fixture);
        }
    }

    @Test
    void whoSendsForEverIsCutOff() throws Exception {
        try (var fixture = new ServerFixture("MAX_REQUEST_BYTES", "1MiB");
                var client = fixture.connect()) {
            client.send("POST /api/v1/exec HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "
                    + Long.MAX_VALUE + "\r\n\r\n");
            byte[] block = new byte[MIB];
            int sent = 0;
            try {
                while (sent < 1_000) {
                    client.send(block);
                    sent++;
                }
            } catch (IOException cutOff) {
                assertThat(sent).isLessThan(100);
            }
            assertThat(sent).isLessThan(1_000);
            assertServes(fixture);
        }
    }

    @Test
    void anAnnouncedGiantIsRefusedBeforeItIsAskedFor() throws Exception {
        try (var fixture = new ServerFixture();
                var client = fixture.connect()) {
            client.send(
                    "POST /api/v1/exec HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 99999999\r\n\r\n");

            assertProblem(client.receive(), 413);
            assertThat(client.halfClose().isClosedByServer()).isTrue();
            assertServes(fixture);
        }
    }

    @Test
    void anUnwantedBodyOfAnotherKindIsReadAwayToo() throws Exception {
        try (var fixture = new ServerFixture();
                var client = fixture.connect()) {
            client.send("POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n".formatted(20 * MIB));
            byte[] block = new byte[MIB];
            for (int i = 0; i < 20; i++) {
                client.send(block);
            }

            assertProblem(client.receive(), 404);
            assertServes(fixture);
        }
    }

    @Test
    void whoDoesNotTakeTheAnswerIsCutOff() throws Exception {
        try (var fixture = new ServerFixture("REQUEST_TIMEOUT", "500ms");
                var client = fixture.connect()) {
            String large = "x".repeat(30 * MIB);
            fixture.engine.behaviour = request -> FakeEngine.result(request, large);
            client.send(RawClient.post(HELLO));

            awaitEnd(fixture);
            assertThat(client.bytesUntilCutOff()).isLessThan(30L * MIB);
            fixture.engine.behaviour = request -> FakeEngine.result(request, "small");
            assertServes(fixture);
        }
    }

    /** Until the server has nothing more to do with the only request that it got. */
    private static void awaitEnd(ServerFixture fixture) {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!new String(fixture.metrics.expose(null).body(), StandardCharsets.UTF_8)
                .contains("\nhexr_http_requests_total{")) {
            assertThat(System.nanoTime()).as("it ends").isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void aRunThatTakesLongerThanTheIdleTimeoutIsAnswered() throws Exception {
        try (var fixture = new ServerFixture("IDLE_TIMEOUT", "300ms", "REQUEST_TIMEOUT", "300ms")) {
            var never = new CountDownLatch(1);
            fixture.engine.behaviour = request -> {
                try {
                    assertThat(never.await(1_500, TimeUnit.MILLISECONDS)).isFalse();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return FakeEngine.result(request, "late");
            };

            var reply = fixture.exchange(RawClient.post(HELLO));

            assertThat(reply.status()).isEqualTo(200);
            assertThat(reply.json().path("stdout").asString()).isEqualTo("late");
        }
    }

    @Test
    void moreConnectionsThanAllowedWaitUntilOneCloses() throws Exception {
        try (var fixture = new ServerFixture("MAX_CONNECTIONS", "5", "IDLE_TIMEOUT", "1s")) {
            var idle = new ArrayList<RawClient>();
            for (int i = 0; i < 20; i++) {
                idle.add(fixture.connect());
            }
            // The idle ones fall to their deadline, in turns of five; then comes this one.
            assertServes(fixture);
            for (var client : idle) {
                client.close();
            }
        }
    }

    private static void assertServes(ServerFixture fixture) throws IOException {
        assertThat(fixture.exchange(HEALTH).status()).isEqualTo(200);
        assertThat(fixture.exchange(RawClient.post(HELLO)).status()).isEqualTo(200);
    }

    private static void assertProblem(RawClient.Reply reply, int status) {
        assertThat(reply.status()).as(reply.body()).isEqualTo(status);
        assertThat(reply.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(reply.json().path("status").asInt()).isEqualTo(status);
        assertThat(reply.json().path("code").asString()).isNotEmpty();
        assertThat(reply.json().path("detail").asString()).isNotEmpty();
        assertThat(reply.body()).doesNotContain("Exception", "jetty", "\\tat ");
        assertThat(reply.headers()).doesNotContainKey("server");
    }

    private static boolean dribbleUntilCutOff(RawClient client, String piece) throws InterruptedException {
        for (int i = 0; i < 200; i++) {
            try {
                client.send(piece);
            } catch (IOException cutOff) {
                return true;
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
        return false;
    }

    private static void dribble(RawClient client) {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                client.send(" ");
                TimeUnit.MILLISECONDS.sleep(50);
            }
        } catch (IOException | InterruptedException ended) {
            // The server cut off, or the test is over.
        }
    }

    private static String unescape(String text) {
        return text.replace("\\r", "\r")
                .replace("\\n", "\n")
                .replace("\\0", "\0")
                .replace("\\1", "\1")
                .replace("\\2", "\2")
                .replace("\\3", "\3");
    }
}
