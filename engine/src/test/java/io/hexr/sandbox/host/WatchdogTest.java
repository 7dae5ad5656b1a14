package io.hexr.sandbox.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
        var acted = new CompletableFuture<Void>();
        Watchdog.start(Duration.ofMillis(50), () -> acted.complete(null)).close();

        // Later ones come after it on the thread of all timers.
        var later = new CountDownLatch(1);
        try (var watchdog = Watchdog.start(Duration.ofMillis(100), later::countDown)) {
            assertThat(watchdog).isNotNull();
            assertThat(later.await(10, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(acted).isNotDone();
    }
}
