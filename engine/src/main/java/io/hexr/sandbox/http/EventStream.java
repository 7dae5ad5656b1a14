package io.hexr.sandbox.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.hexr.sandbox.exec.Cancellation;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * An answer as server-sent events (WHATWG HTML, section 9.2), each of which is on its way to the client when {@link #send} returns. There is no
 * buffer but the socket's: whoever sends goes as fast as the client takes.
 *
 * <p>New → open, by the first event, with which status and headers go → ended, by {@link #end}. A write that fails makes it broken: the call is
 * cancelled, and what is sent from then on goes nowhere. A write fails when the connection does, when the client takes nothing for {@code
 * IDLE_TIMEOUT} (Jetty's idle timeout), and when the time of the whole is over ({@link #endWithin}), so that a client that takes a byte now and
 * then cannot hold what the answer is made from for ever.
 *
 * <p>The request's thread sends events; the heartbeat, a comment when nothing was sent for a while, comes from a thread of its own. The lock
 * keeps one out of the other's bytes.
 */
final class EventStream implements AutoCloseable {
    static final String MEDIA_TYPE = "text/event-stream";
    private static final byte[] HEARTBEAT = ": heartbeat\n\n".getBytes(UTF_8);

    private enum State {
        NEW,
        OPEN,
        ENDED,
        BROKEN
    }

    private final Request request;
    private final Response response;
    private final ConnectionAge age;
    private final Duration heartbeat;
    private final Cancellation cancellation;
    private final EndPoint endPoint;
    private final Scheduler scheduler;
    private final ReentrantLock lock = new ReentrantLock();
    private State state = State.NEW;
    private long events;
    private long sentAt = System.nanoTime();
    private Scheduler.@Nullable Task nextBeat;
    private Scheduler.@Nullable Task deadline;

    EventStream(Request request, Response response, ConnectionAge age, Duration heartbeat, Cancellation cancellation) {
        this.request = request;
        this.age = age;
        this.response = response;
        this.heartbeat = heartbeat;
        this.cancellation = cancellation;
        this.endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
        this.scheduler = request.getComponents().getScheduler();
    }

    boolean isNew() {
        lock.lock();
        try {
            return state == State.NEW;
        } finally {
            lock.unlock();
        }
    }

    /** To be called before the first event. */
    void header(String name, String value) {
        response.getHeaders().put(name, value);
    }

    /** Sends an event; data is JSON, and so one line. */
    void send(String name, Record data) {
        lock.lock();
        try {
            if (state == State.NEW) {
                open();
            }
            if (state == State.OPEN) {
                events++;
                write(false, encode(events, name, ApiJson.bytes(data)));
            }
        } finally {
            lock.unlock();
        }
    }

    static byte[] encode(long id, String name, byte[] data) {
        var event = new ByteArrayOutputStream(data.length + 64);
        event.writeBytes("id: %d\nevent: %s\ndata: ".formatted(id, name).getBytes(UTF_8));
        event.writeBytes(data);
        event.writeBytes(new byte[] {'\n', '\n'});
        return event.toByteArray();
    }

    private void open() {
        state = State.OPEN;
        response.setStatus(200);
        var headers = response.getHeaders();
        headers.put(HttpHeader.CONTENT_TYPE, MEDIA_TYPE);
        headers.put(HttpHeader.CACHE_CONTROL, "no-store");
        headers.put("X-Content-Type-Options", "nosniff");
        // nginx and those who copied it would collect the answer first.
        headers.put("X-Accel-Buffering", "no");
        if (age.isOver(request)) {
            headers.put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE.asString());
        }
        scheduleBeat(heartbeat);
    }

    private void write(boolean last, byte[] bytes) {
        try {
            Content.Sink.write(response, last, ByteBuffer.wrap(bytes));
            sentAt = System.nanoTime();
        } catch (IOException e) {
            state = State.BROKEN;
            cancellation.cancel();
        }
    }

    private void scheduleBeat(Duration delay) {
        nextBeat =
                scheduler.schedule(() -> Thread.startVirtualThread(this::beat), delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void beat() {
        lock.lock();
        try {
            if (state != State.OPEN) {
                return;
            }
            var silence = Duration.ofNanos(System.nanoTime() - sentAt);
            if (silence.compareTo(heartbeat) >= 0) {
                write(false, HEARTBEAT);
                silence = Duration.ZERO;
            }
            scheduleBeat(heartbeat.minus(silence));
        } finally {
            lock.unlock();
        }
    }

    /** What has not been taken when this time is over is not taken any more; a later call replaces an earlier one. */
    void endWithin(Duration time) {
        lock.lock();
        try {
            cancel(deadline);
            deadline = scheduler.schedule(
                    () -> endPoint.close(new TimeoutException("the client does not take its answer")),
                    time.toNanos(),
                    TimeUnit.NANOSECONDS);
        } finally {
            lock.unlock();
        }
    }

    /**
     * The answer is complete.
     *
     * @throws IOException if the client did not take all of it
     */
    void end() throws IOException {
        lock.lock();
        try {
            if (state == State.OPEN) {
                write(true, new byte[0]);
            }
            if (state == State.BROKEN) {
                throw new IOException("the client is gone");
            }
            state = State.ENDED;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            state = State.ENDED;
            cancel(nextBeat);
            cancel(deadline);
        } finally {
            lock.unlock();
        }
    }

    private static void cancel(Scheduler.@Nullable Task task) {
        if (task != null) {
            task.cancel();
        }
    }
}
