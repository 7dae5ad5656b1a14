package io.hexr.sandbox.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BodyMemoryTest {

    @Test
    void aBodyThatFindsNoRoomIsRefusedAndHoldsNothingMore() throws Exception {
        var memory = new BodyMemory(100);
        try (var first = memory.open();
                var second = memory.open()) {
            first.grow(60);
            second.grow(30);

            var refusal = catchThrowableOfType(EngineException.class, () -> second.grow(20));

            assertThat(refusal.code()).isEqualTo(ErrorCode.QUEUE_FULL);
            assertThat(refusal.retryAfter()).isPositive();
            assertThat(memory.used()).isEqualTo(90);
        }
        assertThat(memory.used()).isZero();
    }

    @Test
    void theLargestBodyHasRoomEvenInASmallHeap() throws Exception {
        try (var reservation = BodyMemory.ofHeap(1 << 20, 1 << 20).open()) {
            reservation.grow(1 << 20);
        }
    }

    @Test
    void answersThatNobodyTakesKeepNewRequestsOut() throws Exception {
        String body = "{\"language\":\"bash\",\"code\":\"%s\"}".formatted("x".repeat(100_000));
        try (var fixture = new ServerFixture(1L << 20, "MAX_REQUEST_BYTES", "1MiB")) {
            fixture.engine.behaviour = request -> FakeEngine.result(request, "y".repeat(64 << 20));
            var slow = fixture.connect().send(RawClient.post("{\"language\":\"bash\",\"code\":\"\"}"));
            try (slow) {
                slow.awaitAnswer();
                fixture.engine.behaviour = request -> FakeEngine.result(request, "");
                assertThat(fixture.exchange(RawClient.post(body)).status()).isEqualTo(503);
            }
            // The server learns only with its next write that the client is gone.
            int status = 503;
            for (long start = System.nanoTime();
                    status == 503 && System.nanoTime() - start < 20_000_000_000L;
                    status = fixture.exchange(RawClient.post(body)).status()) {
                Thread.onSpinWait();
            }
            assertThat(status).isEqualTo(200);
        }
    }

    @Test
    void callsInProgressHoldTheirBodiesUntilTheyAreOver() throws Exception {
        String body = "{\"language\":\"bash\",\"code\":\"%s\"}".formatted("x".repeat(300_000));
        int roomForThree = 16 << 20;
        int calls = 8;
        try (var fixture = new ServerFixture(roomForThree, "MAX_REQUEST_BYTES", "1MiB");
                var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            var release = new CountDownLatch(1);
            fixture.engine.behaviour = request -> {
                try {
                    assertThat(release.await(30, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return FakeEngine.result(request, "");
            };
            var refused = new CountDownLatch(calls - 3);
            var replies = IntStream.range(0, calls)
                    .mapToObj(i -> executor.submit(() -> {
                        var reply = fixture.exchange(RawClient.post(body));
                        if (reply.status() == 503) {
                            refused.countDown();
                        }
                        return reply.status();
                    }))
                    .toList();
            assertThat(refused.await(30, TimeUnit.SECONDS)).isTrue();
            release.countDown();

            int served = 0;
            for (var reply : replies) {
                served += reply.get() == 200 ? 1 : 0;
            }
            assertThat(served).isEqualTo(3);
            assertThat(fixture.exchange(RawClient.post(body)).status())
                    .as("afterwards")
                    .isEqualTo(200);
        }
    }
}
