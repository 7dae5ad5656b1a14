package io.hexr.sandbox.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A point in time by which a whole call must be over.
 *
 * @param nanoTime as {@link System#nanoTime()}
 */
record Deadline(Duration length, long start, LongSupplier nanoTime) {
    /** For what is not the program: the queue, retries, the way there and back. */
    private static final Duration OVERHEAD = Duration.ofSeconds(90);
    /** The service's own default of {@code timeout}; only the deadline of this side is made from it. */
    private static final Duration USUAL_TIMEOUT = Duration.ofSeconds(30);

    static Deadline after(Duration length, LongSupplier nanoTime) {
        return new Deadline(length, nanoTime.getAsLong(), nanoTime);
    }

    static Deadline of(ExecutionRequest request, Settings settings) {
        var length = request.deadline() != null ? request.deadline() : settings.deadline();
        if (length == null) {
            var timeout = request.timeout();
            length = OVERHEAD.plus(timeout == null ? USUAL_TIMEOUT : timeout);
        }
        return after(length, System::nanoTime);
    }

    Duration remaining() {
        // a length that is too long to be told in nanoseconds, some 292 years, is as good as that
        long nanos = TimeUnit.NANOSECONDS.convert(length);
        return Duration.ofNanos(nanos - (nanoTime.getAsLong() - start));
    }

    /** Runs the action when the deadline is reached, unless what is returned was completed before. */
    CompletableFuture<Void> watch(Runnable action) {
        var timer = new CompletableFuture<Void>();
        var unused = timer.whenComplete((nothing, timeout) -> {
            if (timeout != null) {
                action.run();
            }
        });
        return timer.orTimeout(Math.max(0, remaining().toNanos()), TimeUnit.NANOSECONDS);
    }

    DeadlineExceededException exceeded() {
        return new DeadlineExceededException(
                "no answer within %s s, waiting and retries included; a longer deadline can be given"
                        .formatted(length.toMillis() / 1000.0),
                null);
    }
}
