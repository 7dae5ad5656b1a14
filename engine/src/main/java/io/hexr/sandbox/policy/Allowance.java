package io.hexr.sandbox.policy;

import io.hexr.sandbox.guest.Language;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a caller may. What a policy does not limit is more than any engine can do.
 *
 * @param requestsPerSecond as many may also come at once
 * @param concurrent calls that run or wait
 * @param runSecondsPerMinute processor time of programs; what a program took is taken off when it ends
 */
public record Allowance(
        double requestsPerSecond,
        int concurrent,
        double runSecondsPerMinute,
        Duration maxTimeout,
        int maxMemoryMb,
        Set<Language> languages) {
    /** What every call has at least; an allowance below it would let nobody call. */
    public static final Duration MIN_TIMEOUT = Duration.ofMillis(1);

    public static final int MIN_MEMORY_MB = 16;

    public static final Allowance UNLIMITED = new Allowance(
            1e9, Integer.MAX_VALUE, 1e9, Duration.ofDays(365), Integer.MAX_VALUE, EnumSet.allOf(Language.class));

    public Allowance {
        languages = Set.copyOf(languages);
    }

    /** Whether there is nothing to count. */
    public boolean hasNoQuota() {
        return requestsPerSecond >= UNLIMITED.requestsPerSecond
                && concurrent >= UNLIMITED.concurrent
                && runSecondsPerMinute >= UNLIMITED.runSecondsPerMinute;
    }
}
