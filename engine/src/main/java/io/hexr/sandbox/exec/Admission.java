package io.hexr.sandbox.exec;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How many executions run at once and how many may wait: callers take turns, the calls of one caller first come first served.
 *
 * <p>An execution is waiting, then running (it holds a {@link Permit}), then gone. The permit is held until the sandbox is removed, so
 * the number of permits bounds the sandboxes that exist, dying ones included. A full queue makes room for a caller that has less in it than
 * another: the last call of the one with the most is refused instead. So whoever floods the queue keeps nobody out. Once {@link #close} was
 * called nobody is admitted any more and those who wait are refused; those who run are not touched.
 */
final class Admission implements AutoCloseable {
    private final int capacity;
    private final int queueLength;
    private final Duration queueTimeout;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition idle = lock.newCondition();

    /** Those who wait, by caller; whose turn is next comes first. */
    private final Map<String, Deque<Waiter>> queues = new LinkedHashMap<>();

    private int waiting;
    private int running;
    private boolean closed;
    private double meanSeconds = 1;

    Admission(int capacity, int queueLength, Duration queueTimeout) {
        this.capacity = capacity;
        this.queueLength = queueLength;
        this.queueTimeout = queueTimeout;
    }

    private enum State {
        WAITING,
        ADMITTED,
        DISPLACED,
        CANCELLED
    }

    private final class Waiter {
        private final String caller;
        private final Condition decided = lock.newCondition();
        private State state = State.WAITING;

        Waiter(String caller) {
            this.caller = caller;
        }

        void become(State next) {
            state = next;
            decided.signal();
        }
    }

    /** The right to have one sandbox; closed exactly once by its owner. */
    final class Permit implements AutoCloseable {
        private final long start = System.nanoTime();
        private boolean released;

        @Override
        public void close() {
            lock.lock();
            try {
                if (!released) {
                    released = true;
                    meanSeconds = 0.9 * meanSeconds + 0.1 * (System.nanoTime() - start) / 1e9;
                    release();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Waits for a place.
     *
     * @param caller with whom the others take turns
     */
    Permit acquire(String caller, Cancellation cancellation) throws EngineException {
        lock.lock();
        try {
            refuseIfClosed();
            if (running < capacity && waiting == 0) {
                running++;
            } else {
                var waiter = enqueue(caller);
                cancellation.onCancel(() -> cancel(waiter));
                await(waiter);
            }
            return new Permit();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw draining();
        } finally {
            lock.unlock();
        }
    }

    private Waiter enqueue(String caller) throws EngineException {
        var own = queues.get(caller);
        if (waiting >= queueLength) {
            displaceForOneWith(own == null ? 0 : own.size());
        }
        var waiter = new Waiter(caller);
        queues.computeIfAbsent(caller, _ -> new ArrayDeque<>()).addLast(waiter);
        waiting++;
        return waiter;
    }

    private void displaceForOneWith(int own) throws EngineException {
        var longest = queues.values().stream().max(Comparator.comparingInt(Deque::size));
        if (longest.isEmpty() || longest.get().size() <= own + 1) {
            throw queueFull();
        }
        var last = longest.get().getLast();
        remove(last);
        last.become(State.DISPLACED);
    }

    private void cancel(Waiter waiter) {
        lock.lock();
        try {
            if (waiter.state == State.WAITING) {
                remove(waiter);
                waiter.become(State.CANCELLED);
            }
        } finally {
            lock.unlock();
        }
    }

    private void await(Waiter waiter) throws EngineException, InterruptedException {
        long left = queueTimeout.toNanos();
        try {
            while (waiter.state == State.WAITING && !closed && left > 0) {
                left = waiter.decided.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            if (waiter.state == State.ADMITTED) {
                release();
            }
            throw e;
        } finally {
            if (waiter.state == State.WAITING) {
                remove(waiter);
            }
        }
        if (waiter.state == State.ADMITTED) {
            if (closed) {
                release();
                throw draining();
            }
            return;
        }
        refuseIfClosed();
        throw switch (waiter.state) {
            case DISPLACED -> queueFull();
            case CANCELLED -> EngineException.cancelled("The caller went away while its call waited for a sandbox.");
            case WAITING, ADMITTED -> queueTimedOut();
        };
    }

    private void remove(Waiter waiter) {
        var queue = queues.get(waiter.caller);
        if (queue != null && queue.remove(waiter)) {
            waiting--;
            if (queue.isEmpty()) {
                queues.remove(waiter.caller);
            }
        }
    }

    /** A place is free: for the next caller in turn, whose further calls then wait behind everybody else's. */
    private void release() {
        running--;
        if (!closed && waiting > 0) {
            var next = queues.entrySet().iterator().next();
            var queue = next.getValue();
            queues.remove(next.getKey());
            var waiter = queue.removeFirst();
            waiting--;
            if (!queue.isEmpty()) {
                queues.put(next.getKey(), queue);
            }
            running++;
            waiter.become(State.ADMITTED);
        }
        if (running == 0) {
            idle.signalAll();
        }
    }

    int running() {
        lock.lock();
        try {
            return running;
        } finally {
            lock.unlock();
        }
    }

    int waiting() {
        lock.lock();
        try {
            return waiting;
        } finally {
            lock.unlock();
        }
    }

    /** No more admissions. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            queues.values().forEach(queue -> queue.forEach(waiter -> waiter.decided.signal()));
        } finally {
            lock.unlock();
        }
    }

    /** Waits until nothing runs; false if the time is over before. */
    boolean awaitIdle(Duration timeout) throws InterruptedException {
        lock.lock();
        try {
            long left = timeout.toNanos();
            while (running > 0) {
                if (left <= 0) {
                    return false;
                }
                left = idle.awaitNanos(left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void refuseIfClosed() throws EngineException {
        if (closed) {
            throw draining();
        }
    }

    private static EngineException draining() {
        return EngineException.draining("The engine is shutting down.");
    }

    private EngineException queueFull() {
        return new EngineException(
                        ErrorCode.QUEUE_FULL,
                        "All %d sandboxes are busy and %d requests wait already.".formatted(capacity, queueLength))
                .retryAfter(retryAfter());
    }

    private EngineException queueTimedOut() {
        return new EngineException(
                        ErrorCode.QUEUE_TIMEOUT,
                        "No sandbox became free within %d ms.".formatted(queueTimeout.toMillis()))
                .retryAfter(retryAfter());
    }

    /** When the queue will probably have moved on: its length times what one execution takes. */
    private Duration retryAfter() {
        double seconds = Math.ceil((waiting + 1) * meanSeconds / capacity);
        return Duration.ofSeconds(Math.clamp((long) seconds, 1, 60));
    }
}
