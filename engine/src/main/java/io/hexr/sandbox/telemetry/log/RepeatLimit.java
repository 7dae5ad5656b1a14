package io.hexr.sandbox.telemetry.log;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Keeps what comes again and again from filling the log: some callers can cause a line with each request. Of each kind of line so many may come
 * at once, and then one a second; the next one that may come tells how many were left out. Safe for use by several threads.
 */
final class RepeatLimit {
    /** In place of a number: this one too. */
    static final int LEFT_OUT = -1;

    private static final int AT_ONCE = 20;
    private static final double NANOS_EACH = 1e9;

    /** Kinds come from the code, not from callers; a bound all the same. */
    private static final int MAX_KINDS = 1_000;

    private final LongSupplier nanoTime;
    private final Map<String, Kind> kinds = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Kind> eldest) {
            return size() > MAX_KINDS;
        }
    };

    RepeatLimit(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    private static final class Kind {
        private double allowed = AT_ONCE;
        private long countedAt;
        private int leftOut;

        Kind(long now) {
            countedAt = now;
        }
    }

    /** How many like it were left out before this one; or {@link #LEFT_OUT}. */
    synchronized int admit(String kind) {
        long now = nanoTime.getAsLong();
        var seen = kinds.computeIfAbsent(kind, _ -> new Kind(now));
        seen.allowed = Math.min(AT_ONCE, seen.allowed + (now - seen.countedAt) / NANOS_EACH);
        seen.countedAt = now;
        if (seen.allowed < 1) {
            seen.leftOut++;
            return LEFT_OUT;
        }
        seen.allowed--;
        int before = seen.leftOut;
        seen.leftOut = 0;
        return before;
    }
}
