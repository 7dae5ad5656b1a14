package io.hexr.sandbox.client;

import java.io.IOException;
import java.io.InputStream;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A run as it goes on: its events in their order, of which the last is the result.
 *
 * <pre>
 * open → result              → closed
 *      → failure             → closed; every later read fails in the same way
 *      → {@link #close()} → closed; there are no more events
 * </pre>
 *
 * <p>One thread reads, any thread may close, which ends the run and its sandbox if it has not ended yet; at the call's deadline the stream is closed by itself. Events are
 * read from the connection when they are asked for and not kept: a reader that is slow holds up the program, whose timeout goes on, and needs no memory for it. Whatever comes
 * before the result and is not an event of the run is a failure: a run that got lost never looks like one that is over.
 */
public final class ExecutionStream implements Iterable<ExecutionEvent>, AutoCloseable {
    private final InputStream in;
    private final EventReader events;
    private final Deadline deadline;
    private final CompletableFuture<Void> timer;
    private final Iterator<ExecutionEvent> iterator = new EventIterator();
    private @Nullable StreamResult result;
    private @Nullable SandboxException failure;
    private volatile boolean expired;
    private volatile boolean closed;

    ExecutionStream(InputStream in, Deadline deadline) {
        this.in = in;
        this.events = new EventReader(in, BoundedBody.MAX_BYTES);
        this.deadline = deadline;
        this.timer = deadline.watch(this::expire);
    }

    /** The events that have not been read yet: all iterators of a stream are one. */
    @Override
    public Iterator<ExecutionEvent> iterator() {
        return iterator;
    }

    /**
     * The result. Events that have not been read yet are read up to it.
     *
     * @throws IllegalStateException when the stream was closed before
     */
    public StreamResult result() throws SandboxException {
        while (iterator.hasNext()) {
            iterator.next();
        }
        if (result == null) {
            throw new IllegalStateException("the stream was closed before the result");
        }
        return result;
    }

    /** Ends the run, if it has not ended yet. */
    @Override
    public void close() {
        closed = true;
        timer.complete(null);
        try {
            in.close();
        } catch (IOException e) {
            // the connection is gone, which is what was wanted
        }
    }

    private void expire() {
        expired = true;
        close();
    }

    /** The next event; null when there are no more. */
    private @Nullable ExecutionEvent read() throws SandboxException {
        if (failure != null) {
            throw failure;
        }
        try {
            if (result != null) {
                finish();
                return null;
            }
            while (!closed) {
                var event = events.next();
                if (event == null) {
                    throw new IOException("it ended before the result");
                }
                var meaning = meaning(event);
                if (meaning != null) {
                    return meaning;
                }
            }
            throw new IOException("it is closed");
        } catch (SandboxException e) {
            throw fail(e);
        } catch (IOException e) {
            if (closed && !expired) {
                return null;
            }
            throw fail(meaning(e));
        }
    }

    /** Null for an event of a newer service. */
    private @Nullable ExecutionEvent meaning(ServerSentEvent event) throws SandboxException {
        var data = Json.object(event.data());
        return switch (event.name()) {
            case "start" -> Json.convert(data, ExecutionEvent.Start.class);
            case "stdout" -> Json.convert(data, ExecutionEvent.Stdout.class);
            case "stderr" -> Json.convert(data, ExecutionEvent.Stderr.class);
            case "artifact" -> Json.convert(data, Artifact.class);
            case "result" -> {
                result = Json.convert(data, StreamResult.class);
                yield result;
            }
            case "error" ->
                throw ServiceException.of(Problem.of(data.path("status").asInt(500), data), null);
            default -> null;
        };
    }

    /** Reads the end of the answer, after which its connection serves other calls. */
    private void finish() {
        try (this) {
            events.next();
        } catch (IOException e) {
            // the result is there; only the connection is lost
        }
    }

    private SandboxException meaning(IOException e) {
        if (expired) {
            return deadline.exceeded();
        }
        if (Thread.currentThread().isInterrupted()) {
            return new CallInterruptedException("interrupted while waiting for the next event", e);
        }
        return new UnreachableException("the connection broke: " + e.getMessage(), e);
    }

    private SandboxException fail(SandboxException reason) {
        failure = reason;
        close();
        return reason;
    }

    private final class EventIterator implements Iterator<ExecutionEvent> {
        private @Nullable ExecutionEvent next;

        @Override
        public boolean hasNext() {
            if (next == null) {
                next = read();
            }
            return next != null;
        }

        @Override
        public ExecutionEvent next() {
            var event = hasNext() ? next : null;
            if (event == null) {
                throw new NoSuchElementException("the result was the last event");
            }
            next = null;
            return event;
        }
    }
}
