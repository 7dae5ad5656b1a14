package io.hexr.sandbox.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How calls end that do not simply get an answer. */
@Timeout(60)
class CallTest {
    private final CountDownLatch arrived = new CountDownLatch(1);
    private FakeService service;
    private SandboxClient client;

    @BeforeEach
    void open() throws Exception {
        service = new FakeService();
        client = SandboxClient.builder().url(service.url()).build();
    }

    @AfterEach
    void close() {
        client.close();
        service.close();
    }

    /** An answer that is begun and goes on until the client leaves. */
    private FakeService.Reply endless(boolean silent) {
        return new FakeService.Reply(200, Map.of("Content-Type", "application/json"), out -> {
            arrived.countDown();
            while (true) {
                // the pace of the fake only; the writes fail as soon as the client is gone
                TimeUnit.MILLISECONDS.sleep(silent ? 500 : 20);
                out.write(' ');
                out.flush();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAnswerThatDoesNotComeToAnEndEndsAtTheDeadline(boolean silent) throws Exception {
        service.reply(endless(silent));
        var request = ExecutionRequest.of("x").deadline(Duration.ofMillis(2_500));
        long start = System.nanoTime();

        assertThatThrownBy(() -> client.exec(request))
                .isInstanceOf(DeadlineExceededException.class)
                .hasMessageContaining("no answer within 2.5 s");

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(2_500));
        assertThat(service.sawTheClientLeave()).isTrue();
        assertThat(service.asked()).hasSize(1);
    }

    @Test
    void theDeadlineOfTheClientHoldsForACallThatHasNone() {
        service.reply(endless(true));
        try (var hasty = SandboxClient.builder()
                .url(service.url())
                .deadline(Duration.ofMillis(300))
                .build()) {
            assertThatThrownBy(() -> hasty.exec("x")).isInstanceOf(DeadlineExceededException.class);
        }
    }

    @Test
    void cancellingTheFutureClosesTheConnection() throws Exception {
        service.reply(endless(true));
        var outcome = client.execAsync(ExecutionRequest.of("x"));
        assertThat(arrived.await(20, TimeUnit.SECONDS)).isTrue();

        outcome.cancel(true);

        assertThat(service.sawTheClientLeave()).isTrue();
        assertThat(outcome).isCancelled();
    }

    @Test
    void cancellingTheFutureEndsThePauseBeforeTheNextTry() throws Exception {
        service.reply(FakeService.problem(503, "queue_full").with("Retry-After", "3"));
        var outcome = client.execAsync(ExecutionRequest.of("x"));
        while (service.asked().isEmpty()) {
            Thread.onSpinWait();
        }

        outcome.cancel(true);

        // longer than it takes until the next try would have come
        TimeUnit.SECONDS.sleep(4);
        assertThat(service.asked()).hasSize(1);
    }

    @Test
    void interruptingTheCallerClosesTheConnection() throws Exception {
        service.reply(endless(true));
        var thrown = new CompletableFuture<Boolean>();
        var caller = Thread.ofVirtual().start(() -> {
            try {
                client.exec("x");
                thrown.complete(false);
            } catch (CallInterruptedException e) {
                thrown.complete(Thread.currentThread().isInterrupted());
            }
        });
        assertThat(arrived.await(20, TimeUnit.SECONDS)).isTrue();

        caller.interrupt();

        assertThat(thrown.get(20, TimeUnit.SECONDS))
                .as("still marked as interrupted")
                .isTrue();
        assertThat(service.sawTheClientLeave()).isTrue();
    }

    @Test
    void closingTheClientEndsItsCalls() throws Exception {
        service.reply(endless(true));
        var outcome = client.execAsync(ExecutionRequest.of("x"));
        assertThat(arrived.await(20, TimeUnit.SECONDS)).isTrue();

        client.close();

        assertThatThrownBy(() -> outcome.get(20, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(UnreachableException.class);
    }

    @Test
    void anAnswerThatIsTooLargeIsNotTaken() throws Exception {
        service.reply(endless(false));
        var exchange = Exchange.health(Settings.url(service.url()));
        var bounded = new Exchange<>(
                exchange.request(),
                info -> new BoundedBody(10),
                exchange.results(),
                exchange.mediaType(),
                exchange.reader());
        var settings = new SandboxClient.Builder(new Variables(name -> null))
                .url(service.url())
                .settings();
        try (var transport = new Transport(settings, null)) {
            var outcome = Call.start(transport, bounded, Deadline.after(Duration.ofSeconds(20), System::nanoTime));

            assertThatThrownBy(() -> Call.await(outcome))
                    .isInstanceOf(InvalidAnswerException.class)
                    .hasMessage("the answer has more than 10 bytes");
            assertThat(service.sawTheClientLeave()).isTrue();
        }
    }

    @Test
    void manyVirtualThreadsCallAtOnce() throws Exception {
        var together = new CountDownLatch(50);
        service.reply(new FakeService.Reply(200, Map.of("Content-Type", "application/json"), out -> {
            together.countDown();
            // no answer before all have asked
            assertThat(together.await(20, TimeUnit.SECONDS)).isTrue();
            out.write(FakeService.RESULT.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }));
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var calls = new ArrayList<Future<ExecutionResult>>();
            for (int i = 0; i < 50; i++) {
                calls.add(threads.submit(() -> client.exec("x")));
            }
            for (var call : calls) {
                assertThat(call.get(30, TimeUnit.SECONDS).stdout()).isEqualTo("42\n");
            }
        }
    }

    @Test
    void oneConnectionServesManyCalls() {
        for (int i = 0; i < 3; i++) {
            client.exec("x");
        }
        assertThat(service.connections()).hasSize(1);
    }
}
