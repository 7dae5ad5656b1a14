package io.hexr.sandbox.exec;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The host's deadline for one sandbox, for when the guest does not keep its own: it kills the sandbox, which ends the session's blocked read.
 *
 * <p>Stages: LAYOUT (the guest is given the files) → RUN (from START on) → COLLECT (from EXIT on, the guest gives the files that the program
 * made) → OVER. Each of the first three has a time of its own, because a program whose files took long to write has not used up any of its
 * timeout, and one that used up all of it has not lost what it made. Whichever deadline fires first is the last one. The sender
 * starts the program, the timer fires, the request's thread ends it all; the lock decides who was first.
 */
final class Backstop implements AutoCloseable {
    enum Stage {
        LAYOUT,
        RUN,
        COLLECT,
        OVER
    }

    private final ScheduledExecutorService timer;
    private final Duration runTimeout;
    private final Duration collectTimeout;
    private final Runnable kill;
    private final long armedAt = System.nanoTime();
    private Stage stage = Stage.LAYOUT;
    private long startedAt;
    private long endedAt;
    private @Nullable Future<?> pending;
    private @Nullable Stage expired;

    private Backstop(ScheduledExecutorService timer, Duration runTimeout, Duration collectTimeout, Runnable kill) {
        this.timer = timer;
        this.runTimeout = runTimeout;
        this.collectTimeout = collectTimeout;
        this.kill = kill;
    }

    static Backstop arm(
            ScheduledExecutorService timer,
            Duration layoutTimeout,
            Duration runTimeout,
            Duration collectTimeout,
            Runnable kill) {
        var backstop = new Backstop(timer, runTimeout, collectTimeout, kill);
        backstop.schedule(Stage.LAYOUT, layoutTimeout);
        return backstop;
    }

    private synchronized void schedule(Stage watched, Duration timeout) {
        pending = timer.schedule(() -> expire(watched), timeout.toNanos(), TimeUnit.NANOSECONDS);
    }

    synchronized void programStarts() {
        if (stage != Stage.LAYOUT) {
            return;
        }
        enter(Stage.RUN);
        startedAt = System.nanoTime();
        schedule(Stage.RUN, runTimeout);
    }

    synchronized void programEnded() {
        if (stage == Stage.RUN) {
            enter(Stage.COLLECT);
            schedule(Stage.COLLECT, collectTimeout);
        }
    }

    private synchronized void expire(Stage watched) {
        if (stage == watched) {
            expired = watched;
            close();
            // Killing waits for the processes to be gone: not on the timer's own thread.
            Thread.startVirtualThread(kill);
        }
    }

    @Override
    public synchronized void close() {
        if (stage != Stage.OVER) {
            if (stage == Stage.LAYOUT) {
                startedAt = System.nanoTime();
            }
            enter(Stage.OVER);
            endedAt = System.nanoTime();
        }
    }

    private void enter(Stage next) {
        stage = next;
        if (pending != null) {
            pending.cancel(false);
        }
    }

    /** The stage whose deadline fired; null if none did. */
    synchronized @Nullable Stage expired() {
        return expired;
    }

    /** How long the files took. */
    synchronized Duration layoutTime() {
        return Duration.ofNanos(startedAt - armedAt);
    }

    /** From START to the end, the files that the program made included. */
    synchronized Duration runTime() {
        return Duration.ofNanos(endedAt - startedAt);
    }
}
