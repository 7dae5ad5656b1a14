package io.hexr.sandbox.host;

import java.time.Duration;

/**
 * Waits a little longer each time between two looks at something the kernel has no event for that Java could wait on: a cgroup v1 becoming
 * empty, a cgroup becoming removable, another process listening. Interrupts are kept for later, because cleaning up must not stop half-way.
 */
public final class Backoff {
    private static final long FIRST_NANOS = 500_000;
    private static final Duration LONGEST = Duration.ofMillis(20);

    private final Deadline deadline;
    private final long longestNanos;
    private long delay = FIRST_NANOS;

    public Backoff(Duration timeout) {
        this(timeout, LONGEST);
    }

    /** With short pauses where somebody waits for what is awaited. */
    public Backoff(Duration timeout, Duration longest) {
        this.deadline = Deadline.after(timeout);
        this.longestNanos = longest.toNanos();
    }

    /** False when the time is over. */
    public boolean pause() {
        if (deadline.remaining().isZero()) {
            return false;
        }
        sleep(System.nanoTime() + delay);
        delay = Math.min(2 * delay, longestNanos);
        return true;
    }

    private static void sleep(long until) {
        boolean interrupted = false;
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            try {
                Thread.sleep(Duration.ofNanos(left));
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
