package io.hexr.sandbox.exec;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many executions run at once and how many may wait, first come first served.
 *
 * <p>An execution is waiting, then running (it holds a {@link Permit}), then gone. The permit is held until the sandbox is removed, so
 * the number of permits bounds the sandboxes that exist, dying ones included. Once {@link #close} was called nobody is admitted any more;
 * those who wait are refused when their turn comes, those who run are not touched.
 */
final class Admission implements AutoCloseable {
    private final int capacity;
    private final int queueLength;
    private final Duration queueTimeout;
    private final Semaphore permits;
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger();
    private volatile boolean closed;
    private volatile double meanSeconds = 1;

    Admission(int capacity, int queueLength, Duration queueTimeout) {
        this.capacity = capacity;
        this.queueLength = queueLength;
        this.queueTimeout = queueTimeout;
        this.permits = new Semaphore(capacity, true);
    }

    /** The right to have one sandbox; closed exactly once by its owner. */
    final class Permit implements AutoCloseable {
        private final long start = System.nanoTime();
        private boolean released;

        @Override
        public synchronized void close() {
            if (released) {
                return;
            }
            released = true;
            observe((System.nanoTime() - start) / 1e9);
            running.decrementAndGet();
            permits.release();
        }
    }

    Permit acquire() throws EngineException {
        refuseIfClosed();
        try {
            // Not tryAcquire() without a time: even from a fair semaphore that takes a permit past those who wait.
            if (!permits.tryAcquire(0, TimeUnit.NANOSECONDS)) {
                await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw draining();
        }
        if (closed) {
            permits.release();
            throw draining();
        }
        running.incrementAndGet();
        return new Permit();
    }

    private void await() throws EngineException, InterruptedException {
        if (waiting.incrementAndGet() > queueLength) {
            waiting.decrementAndGet();
            throw new EngineException(
                            ErrorCode.QUEUE_FULL,
                            "All %d sandboxes are busy and %d requests wait already.".formatted(capacity, queueLength))
                    .retryAfter(retryAfter());
        }
        try {
            if (!permits.tryAcquire(queueTimeout.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new EngineException(
                                ErrorCode.QUEUE_TIMEOUT,
                                "No sandbox became free within %d ms.".formatted(queueTimeout.toMillis()))
                        .retryAfter(retryAfter());
            }
        } finally {
            waiting.decrementAndGet();
        }
    }

    int running() {
        return running.get();
    }

    int waiting() {
        return waiting.get();
    }

    /** No more admissions. */
    @Override
    public void close() {
        closed = true;
    }

    /** Waits until nothing runs; false if the time is over before. */
    boolean awaitIdle(Duration timeout) throws InterruptedException {
        if (!permits.tryAcquire(capacity, timeout.toNanos(), TimeUnit.NANOSECONDS)) {
            return false;
        }
        permits.release(capacity);
        return true;
    }

    private void refuseIfClosed() throws EngineException {
        if (closed) {
            throw draining();
        }
    }

    private static EngineException draining() {
        return EngineException.draining("The engine is shutting down.");
    }

    private synchronized void observe(double seconds) {
        meanSeconds = 0.9 * meanSeconds + 0.1 * seconds;
    }

    /** When the queue will probably have moved on: its length times what one execution takes. */
    private Duration retryAfter() {
        double seconds = Math.ceil((waiting.get() + 1) * meanSeconds / capacity);
        return Duration.ofSeconds(Math.clamp((long) seconds, 1, 60));
    }
}
