package io.hexr.sandbox.client;

import java.time.Duration;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * Decides after each refusal whether and when the same call is sent again.
 *
 * <p>Only after 429 and 503: these say that nothing is wrong with the call and that another time may do. The wait is what the service asks for in {@code Retry-After} and a
 * random part on top, which doubles its range each time, so that callers who were refused together do not come back together. A wait that would end after the deadline is
 * not begun.
 *
 * <p>One call uses it, one step after the other.
 */
final class Retries {
    private static final Duration FIRST_RANGE = Duration.ofMillis(250);
    private static final Duration LONGEST_RANGE = Duration.ofSeconds(8);

    private final Deadline deadline;
    private final DoubleSupplier random;
    private int left;
    private Duration range = FIRST_RANGE;

    /** @param random numbers from 0 to 1 */
    Retries(int max, Deadline deadline, DoubleSupplier random) {
        this.left = max;
        this.deadline = deadline;
        this.random = random;
    }

    /** How long to wait before the next try; nothing when there is to be none. */
    Optional<Duration> pause(ServiceException refusal) {
        if (left == 0 || !(refusal instanceof QuotaExceededException || refusal instanceof UnavailableException)) {
            return Optional.empty();
        }
        var asked = refusal.retryAfter();
        var pause = Duration.ofNanos((long) (range.toNanos() * random.getAsDouble()));
        if (asked != null) {
            pause = pause.plus(asked);
        }
        if (pause.compareTo(deadline.remaining()) >= 0) {
            return Optional.empty();
        }
        left--;
        range = range.multipliedBy(2).compareTo(LONGEST_RANGE) > 0 ? LONGEST_RANGE : range.multipliedBy(2);
        return Optional.of(pause);
    }
}
