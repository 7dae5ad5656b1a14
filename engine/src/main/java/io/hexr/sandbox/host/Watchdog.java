package io.hexr.sandbox.host;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Does something, on a thread of its own, unless it is closed before the time is over. */
public final class Watchdog implements AutoCloseable {
    private final CompletableFuture<Void> timer;

    private Watchdog(CompletableFuture<Void> timer) {
        this.timer = timer;
    }

    public static Watchdog start(Duration timeout, Runnable action) {
        var timer = new CompletableFuture<Void>();
        // Not on the thread that all timers of the JDK share: the action may block.
        var _ = timer.thenRunAsync(action, Thread::startVirtualThread);
        return new Watchdog(timer.completeOnTimeout(null, timeout.toNanos(), TimeUnit.NANOSECONDS));
    }

    /** Whether the time was not over; the action is then never done. */
    public boolean disarm() {
        return timer.cancel(false);
    }

    @Override
    public void close() {
        timer.cancel(false);
    }
}
