package io.hexr.sandbox.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.JsonNodeFactory;

@Timeout(60)
class RetryTest {
    private final AtomicLong now = new AtomicLong();

    private Deadline in(Duration length) {
        return Deadline.after(length, now::get);
    }

    private static ServiceException refusal(int status, @org.jspecify.annotations.Nullable Duration retryAfter) {
        return ServiceException.of(Problem.of(status, JsonNodeFactory.instance.missingNode()), retryAfter);
    }

    private static Optional<Duration> millis(long millis) {
        return Optional.of(Duration.ofMillis(millis));
    }

    @Test
    void theRandomPartOfTheWaitDoublesUpToABound() {
        var retries = new Retries(8, in(Duration.ofHours(1)), () -> 1);

        assertThat(Stream.generate(() -> retries.pause(refusal(503, null))).limit(9))
                .containsExactly(
                        millis(250),
                        millis(500),
                        millis(1_000),
                        millis(2_000),
                        millis(4_000),
                        millis(8_000),
                        millis(8_000),
                        millis(8_000),
                        Optional.empty());
    }

    @Test
    void theRandomPartComesOnTopOfWhatTheServiceAsksFor() {
        var retries = new Retries(2, in(Duration.ofHours(1)), () -> 1);

        assertThat(retries.pause(refusal(429, Duration.ofSeconds(3)))).isEqualTo(millis(3_250));
        assertThat(retries.pause(refusal(429, Duration.ofSeconds(3)))).isEqualTo(millis(3_500));
    }

    @Test
    void aWaitThatWouldEndAfterTheDeadlineIsNotBegun() {
        var retries = new Retries(9, in(Duration.ofSeconds(10)), () -> 1);

        assertThat(retries.pause(refusal(503, Duration.ofSeconds(9)))).isEqualTo(millis(9_250));
        now.set(Duration.ofMillis(9_250).toNanos());
        assertThat(retries.pause(refusal(503, Duration.ofSeconds(9)))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 408, 500, 502, 504})
    void noOtherStatusIsTriedAgain(int status) {
        assertThat(new Retries(9, in(Duration.ofHours(1)), () -> 1).pause(refusal(status, Duration.ofSeconds(1))))
                .isEmpty();
    }

    @Test
    void theSameCallIsSentAgainUntilItIsTaken() throws Exception {
        try (var service = new FakeService()
                        .reply(
                                FakeService.problem(503, "queue_full"),
                                FakeService.problem(429, "rate_limited").with("Retry-After", "1"),
                                FakeService.json(FakeService.RESULT));
                var client = SandboxClient.builder().url(service.url()).build()) {
            long start = System.nanoTime();

            assertThat(client.exec("print(42)").stdout()).isEqualTo("42\n");

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
            assertThat(service.asked()).hasSize(3);
            assertThat(new HashSet<>(service.asked().stream()
                            .map(FakeService.Asked::body)
                            .toList()))
                    .hasSize(1);
        }
    }

    @Test
    void aStreamThatIsRefusedIsTriedAgainToo() throws Exception {
        try (var service = new FakeService()
                        .reply(FakeService.problem(503, "queue_full"), FakeService.events(StreamTest.SHORT_RUN));
                var client = SandboxClient.builder().url(service.url()).build();
                var stream = client.stream(ExecutionRequest.of("x"))) {
            assertThat(stream.result().ok()).isTrue();
            assertThat(service.asked()).hasSize(2);
        }
    }

    @Test
    void afterSoManyRetriesTheLastErrorIsThrown() throws Exception {
        try (var service = new FakeService().reply(FakeService.problem(503, "queue_full"));
                var client =
                        SandboxClient.builder().url(service.url()).maxRetries(1).build()) {
            assertThatThrownBy(() -> client.exec("x")).isInstanceOf(UnavailableException.class);
            assertThat(service.asked()).hasSize(2);
        }
    }

    @Test
    void aServiceThatAsksForMoreTimeThanThereIsGetsNoSecondCall() throws Exception {
        try (var service = new FakeService()
                        .reply(FakeService.problem(429, "rate_limited").with("Retry-After", "60"));
                var client = SandboxClient.builder().url(service.url()).build()) {
            var request = ExecutionRequest.of("x").deadline(Duration.ofSeconds(30));
            assertThatThrownBy(() -> client.exec(request)).isInstanceOf(QuotaExceededException.class);
            assertThat(service.asked()).hasSize(1);
        }
    }
}
