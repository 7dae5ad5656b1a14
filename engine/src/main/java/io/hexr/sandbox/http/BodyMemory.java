package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory for bodies that were received and whose calls are not over, waiting ones included. Without this bound a few hundred callers
 * with large bodies could fill the heap before admission ever counts them. Bytes are reserved as they arrive: a header that announces much
 * costs nothing. A body that finds no room is refused at once; to let it wait would only keep what it already holds from others.
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

    long used() {
        return used.get();
    }

    /** What one body holds; belongs to the thread of its request. */
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

        @Override
        public void close() {
            used.addAndGet(-held);
            held = 0;
        }
    }
}
