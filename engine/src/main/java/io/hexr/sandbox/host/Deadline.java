package io.hexr.sandbox.host;

import java.time.Duration;

/** A moment by which several steps must be done. */
public record Deadline(long nanoTime) {
    public static Deadline after(Duration timeout) {
        return new Deadline(System.nanoTime() + timeout.toNanos());
    }

    /** Zero when it is over. */
    public Duration remaining() {
        return Duration.ofNanos(Math.max(0, nanoTime - System.nanoTime()));
    }

    /** This one, or an earlier one if the timeout ends before it. */
    public Deadline within(Duration timeout) {
        return remaining().compareTo(timeout) < 0 ? this : after(timeout);
    }
}
