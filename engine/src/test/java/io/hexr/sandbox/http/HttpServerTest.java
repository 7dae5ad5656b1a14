package io.hexr.sandbox.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HttpServerTest {
    private static final String HELLO = "{\"code\":\"hello\",\"language\":\"bash\"}";

    private ServerFixture fixture;

    @BeforeEach
    void start() throws Exception {
        fixture = new ServerFixture();
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    @Test
    void aChunkedBodyIsAsGoodAsOneOfKnownLength() throws Exception {
        String head = RawClient.post("", "Content-Type: application/json\r\n")
                .replace("Content-Length: 0", "Transfer-Encoding: chunked");
        var reply =
                fixture.exchange(head + chunk("{\"code\":\"hello\",") + chunk("\"language\":\"bash\"}") + chunk(""));

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.json().path("stdout").asString()).isEqualTo("hello");
    }

    @Test
    void aConnectionServesManyRequestsAlsoAfterErrors() throws Exception {
        try (var client = fixture.connect()) {
            for (int round = 0; round < 3; round++) {
                assertThat(client.send(RawClient.post(HELLO)).receive().status())
                        .isEqualTo(200);
                assertThat(client.send(RawClient.post("{")).receive().status()).isEqualTo(400);
                assertThat(client.send(RawClient.post(HELLO, "")).receive().status())
                        .isEqualTo(415);
                assertThat(client.send("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n")
                                .receive()
                                .status())
                        .isEqualTo(404);
                assertThat(client.send("GET /api/v1/exec HTTP/1.1\r\nHost: x\r\n\r\n")
                                .receive()
                                .status())
                        .isEqualTo(405);
            }
        }
    }

    @Test
    void pipelinedRequestsAreAnsweredInOrder() throws Exception {
        try (var client = fixture.connect()) {
            var all = new StringBuilder();
            for (int i = 0; i < 20; i++) {
                all.append(RawClient.post("{\"code\":\"n%d\",\"language\":\"bash\"}".formatted(i)));
            }
            client.send(all.toString());

            for (int i = 0; i < 20; i++) {
                assertThat(client.receive().json().path("stdout").asString()).isEqualTo("n" + i);
            }
        }
    }

    @Test
    void aClientThatAsksToContinueIsToldToAndServed() throws Exception {
        try (var client = fixture.connect()) {
            client.send(RawClient.post(HELLO, "Content-Type: application/json\r\nExpect: 100-continue\r\n")
                    .substring(
                            0,
                            RawClient.post(HELLO, "Content-Type: application/json\r\nExpect: 100-continue\r\n")
                                            .length()
                                    - HELLO.length()));
            assertThat(client.receive().status()).isEqualTo(100);
            assertThat(client.send(HELLO).receive().status()).isEqualTo(200);
        }
    }

    @Test
    void aClientOfHttp10IsServedAndDisconnected() throws Exception {
        try (var client = fixture.connect()) {
            var reply = client.send(RawClient.post(HELLO).replace("HTTP/1.1", "HTTP/1.0"))
                    .receive();

            assertThat(reply.status()).isEqualTo(200);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    /** It counts as gone, and its run is ended; but it is told so, and nothing is cut off. */
    @Test
    void aClientThatHalfClosesAfterItsRequestIsToldWhatBecameOfIt() throws Exception {
        try (var client = fixture.connect()) {
            var reply = client.send(RawClient.post(HELLO)).halfClose().receive();

            assertThat(reply.status()).isEqualTo(200);
        }
    }

    @Test
    void healthAnswersWhileHundredsOfCallsWait() throws Exception {
        int calls = 300;
        var waiting = new CountDownLatch(calls);
        var release = new CountDownLatch(1);
        fixture.engine.behaviour = request -> {
            waiting.countDown();
            await(release);
            return FakeEngine.result(request, "done");
        };
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            var replies = new ArrayList<Future<RawClient.Reply>>();
            for (int i = 0; i < calls; i++) {
                replies.add(executor.submit(() -> fixture.exchange(RawClient.post(HELLO))));
            }
            assertThat(waiting.await(20, TimeUnit.SECONDS)).isTrue();

            assertThat(fixture.exchange("GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
                            .status())
                    .isEqualTo(200);

            release.countDown();
            for (var reply : replies) {
                assertThat(reply.get().status()).isEqualTo(200);
            }
        }
    }

    @Test
    void aRequestMayTakeLongerThanAConnectionMayBeIdle() throws Exception {
        try (var impatient = new ServerFixture("IDLE_TIMEOUT", "1s")) {
            impatient.engine.behaviour = request -> {
                pause(2_000);
                return FakeEngine.result(request, "slow");
            };

            assertThat(impatient.exchange(RawClient.post(HELLO)).status()).isEqualTo(200);
        }
    }

    @Test
    void closingLetsTheRequestInProgressEnd() throws Exception {
        var running = new CountDownLatch(1);
        var release = new CountDownLatch(1);
        fixture.engine.behaviour = request -> {
            running.countDown();
            await(release);
            return FakeEngine.result(request, "done");
        };
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            var reply = executor.submit(() -> fixture.exchange(RawClient.post(HELLO)));
            running.await();
            var closed = executor.submit(() -> fixture.server.close());
            assertThat(closed.isDone()).isFalse();
            release.countDown();

            assertThat(reply.get().status()).isEqualTo(200);
            closed.get();
            assertThatThrownBy(fixture::connect).isInstanceOf(IOException.class);
        }
    }

    @Test
    void anAddressInUseIsSaidPlainly() throws Exception {
        String address = "127.0.0.1:" + fixture.server.port();

        assertThatThrownBy(() -> new ServerFixture("LISTEN_ADDRESS", address))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("LISTEN_ADDRESS " + address)
                .hasMessageContaining("in use");
    }

    @Test
    void aHostWithoutAnAddressIsSaidPlainly() {
        assertThatThrownBy(() -> new ServerFixture("LISTEN_ADDRESS", "absent.invalid:8080"))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("LISTEN_ADDRESS absent.invalid:8080: this host has no address");
    }

    private static void pause(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String chunk(String text) {
        return "%x\r\n%s\r\n".formatted(text.length(), text);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
