package io.hexr.sandbox.exec;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Tokens that come at a steady rate, up to a capacity. More may be taken than there are, for what is known only afterwards: then it takes
 * longer until there are some again. Guarded by its owner's lock.
 */
final class TokenBucket {
    private final double capacity;
    private final double perSecond;
    private final LongSupplier nanoTime;
    private double tokens;
    private long countedAt;

    TokenBucket(double capacity, double perSecond, LongSupplier nanoTime) {
        this.capacity = capacity;
        this.perSecond = perSecond;
        this.nanoTime = nanoTime;
        this.tokens = capacity;
        this.countedAt = nanoTime.getAsLong();
    }

    /** How long until there are so many; zero if there are. */
    Duration until(double amount) {
        count();
        double missing = amount - tokens;
        return missing <= 0 ? Duration.ZERO : Duration.ofNanos((long) Math.ceil(missing / perSecond * 1e9));
    }

    void take(double amount) {
        count();
        tokens -= amount;
    }

    /** How many there are; below zero when more were taken than there were. */
    double available() {
        count();
        return tokens;
    }

    /** How long until it is full. */
    Duration untilFull() {
        return until(capacity);
    }

    boolean isFull() {
        count();
        return tokens >= capacity;
    }

    private void count() {
        long now = nanoTime.getAsLong();
        tokens = Math.min(capacity, tokens + (now - countedAt) / 1e9 * perSecond);
        countedAt = now;
    }
}
