package io.hexr.sandbox.pool;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * Failures of the host one after the other. A few in a row mean that it is broken and not that one sandbox had bad luck. They are forgotten
 * a while after the last one: who is told that the engine is broken sends no calls, and where no sandboxes are made ahead nobody could find
 * out that it works again.
 */
final class FailureStreak {
    private static final int MANY = 3;
    private static final long FORGOTTEN_AFTER_NANOS = 10_000_000_000L;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);

    /** Half of the time after which failures are forgotten: as long as refills fail, the engine is broken without a gap. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final LongSupplier nanoTime;
    private final AtomicInteger count = new AtomicInteger();
    private volatile long last;

    FailureStreak(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    void add() {
        last = nanoTime.getAsLong();
        count.incrementAndGet();
    }

    void end() {
        count.set(0);
    }

    int count() {
        return count.get();
    }

    boolean isGoingOn() {
        return count.get() >= MANY && nanoTime.getAsLong() - last < FORGOTTEN_AFTER_NANOS;
    }

    /** How long to leave the host alone now: twice as long after each failure. */
    Duration pause() {
        int doublings = Math.clamp(count.get() - 1, 0, 16);
        Duration pause = FIRST_PAUSE.multipliedBy(1L << doublings);
        return pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
    }
}
