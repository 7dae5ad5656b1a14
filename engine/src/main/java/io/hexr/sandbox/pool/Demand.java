package io.hexr.sandbox.pool;

import java.util.function.LongSupplier;

/**
 * How many more sandboxes of one language calls would have found useful: each call that found none counts one, and loses half its weight
 * every two minutes. So a burst is met by as many the next time, a steady stream settles where calls hardly ever find none, and quiet lets
 * go again.
 */
final class Demand {
    private static final double HALF_LIFE_NANOS = 120e9;

    private final LongSupplier nanoTime;
    private double weight;
    private long weighedAt;

    Demand(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.weighedAt = nanoTime.getAsLong();
    }

    /** A call found none. */
    void add() {
        weight = weight() + 1;
        weighedAt = nanoTime.getAsLong();
    }

    /** So many more than the least would be wanted now. */
    int extra() {
        return (int) Math.min(Math.round(weight()), Integer.MAX_VALUE / 2);
    }

    private double weight() {
        return weight * Math.pow(0.5, (nanoTime.getAsLong() - weighedAt) / HALF_LIFE_NANOS);
    }
}
