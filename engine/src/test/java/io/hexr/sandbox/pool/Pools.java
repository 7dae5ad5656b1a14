package io.hexr.sandbox.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.sandbox.FakeBackend;
import io.hexr.sandbox.sandbox.HostLimits;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/** Pools of fakes. */
public final class Pools {
    private static final HostLimits WAITING = new HostLimits(16 << 20, 1.0, 16, HostLimits.Priority.BACKGROUND);

    /** What one sandbox that waits takes. */
    static final long BYTES_EACH = FakeBackend.READY_BYTES + WAITING.memoryBytes();

    public static final ReadyLimits NONE_WAITS =
            new ReadyLimits(0, 0, 0, 1, Duration.ZERO, Duration.ofHours(1), WAITING);

    private Pools() {}

    /** So many of each language. */
    public static ReadyLimits limits(int each) {
        return limits(each, each, 100 * BYTES_EACH, Duration.ofHours(1));
    }

    static ReadyLimits limits(int min, int max, long bytes, Duration maxAge) {
        return new ReadyLimits(bytes, min, max, 1, Duration.ZERO, maxAge, WAITING);
    }

    /** So many of each language, and calls that leave one waiting run that long before another is made. */
    static ReadyLimits limits(int each, Duration headStart) {
        return new ReadyLimits(100 * BYTES_EACH, each, each, 1, headStart, Duration.ofHours(1), WAITING);
    }

    /** What waits, for conditions. */
    public record Levels(PoolLevels all) {
        public int ready(Language language) {
            return of(language).ready();
        }

        int target(Language language) {
            return of(language).target();
        }

        boolean full() {
            return all.languages().stream().allMatch(level -> level.ready() == level.target());
        }

        private PoolLevels.Level of(Language language) {
            return all.languages().stream()
                    .filter(level -> level.language() == language)
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Waits until the pool is so. */
    public static void await(SandboxPool pool, Predicate<Levels> condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.test(new Levels(pool.levels()))) {
            assertThat(System.nanoTime()).as("in time; %s", pool.levels()).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }
}
