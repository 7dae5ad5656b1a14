package io.hexr.sandbox.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class WatchdogTest {
    @Test
    void actsWhenTheTimeIsOver() {
        var acted = new CompletableFuture<Void>();

        try (var watchdog = Watchdog.start(Duration.ofMillis(1), () -> acted.complete(null))) {
            assertThat(watchdog).isNotNull();
            assertThat(acted).succeedsWithin(Duration.ofSeconds(10));
        }
    }

    @Test
    void doesNothingWhenItIsClosedInTime() throws Exception {
        var time = Duration.ofMillis(50);
        var acted = new AtomicBoolean();
        long begun;
        do { // a machine that stood still meanwhile did not close it in time
            acted.set(false);
            begun = System.nanoTime();
            Watchdog.start(time, () -> acted.set(true)).close();
        } while (System.nanoTime() - begun >= time.toNanos());

        // Later ones come after it on the thread of all timers.
        var later = new CountDownLatch(1);
        try (var watchdog = Watchdog.start(Duration.ofMillis(100), later::countDown)) {
            assertThat(watchdog).isNotNull();
            assertThat(later.await(10, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(acted).isFalse();
    }
}
