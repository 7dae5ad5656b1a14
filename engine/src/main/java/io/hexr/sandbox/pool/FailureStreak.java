package io.hexr.sandbox.pool;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * Failures of the host one after the other. A few in a row mean that it is broken and not that one sandbox had bad luck. They are forgotten
 * a while after the last one: who is told that the engine is broken sends no calls, and without a call nobody could find out that it works
 * again.
 */
final class FailureStreak {
    private static final int MANY = 3;
    private static final long FORGOTTEN_AFTER_NANOS = 10_000_000_000L;

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

    boolean isGoingOn() {
        return count.get() >= MANY && nanoTime.getAsLong() - last < FORGOTTEN_AFTER_NANOS;
    }
}
