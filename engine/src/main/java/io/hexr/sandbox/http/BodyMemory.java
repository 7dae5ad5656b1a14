package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory for bodies: of requests whose calls are not over, waiting ones included, and of answers that clients have not taken yet. Without
 * this bound a few hundred callers with large bodies, or slow readers of large answers, could fill the heap without admission ever counting
 * them. Bytes are reserved as they arrive: a header that announces much costs nothing. A request that finds no room is refused at once; to
 * let it wait would only keep what it already holds from others. An answer is never refused, because its run took place; it keeps new
 * requests out until it is taken. So the bound is passed by the answers of the running calls at most.
 */
final class BodyMemory {
    private final long capacity;
    private final AtomicLong used = new AtomicLong();

    BodyMemory(long capacity) {
        this.capacity = capacity;
    }

    /**
     * A sixteenth of the heap: a body takes up to eight times its size while it is parsed (bytes, characters, strings, decoded content).
     * One body of the largest size always has room.
     */
    static BodyMemory ofHeap(long heapBytes, int maxRequestBytes) {
        return new BodyMemory(Math.max(heapBytes / 16, maxRequestBytes));
    }

    Reservation open() {
        return new Reservation();
    }

    long capacity() {
        return capacity;
    }

    long used() {
        return used.get();
    }

    /** What one request, then its answer, holds; belongs to the thread of the request. */
    final class Reservation implements AutoCloseable {
        private long held;

        void grow(int bytes) throws EngineException {
            if (used.addAndGet(bytes) > capacity) {
                used.addAndGet(-bytes);
                throw new EngineException(
                                ErrorCode.QUEUE_FULL, "The bodies of the calls in progress leave no room for this one.")
                        .retryAfter(Duration.ofSeconds(1));
            }
            held += bytes;
        }

        /** The request is done with, its answer takes its place. */
        void holdAnswer(int bytes) {
            used.addAndGet(bytes - held);
            held = bytes;
        }

        @Override
        public void close() {
            used.addAndGet(-held);
            held = 0;
        }
    }
}
