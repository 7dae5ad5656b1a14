package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;

/**
 * The content of one request as a bounded read: so many bytes, and all of them by one deadline. The deadline is put on the connection as its
 * idle timeout, shrunk before every read, so it also ends a read that waits for a client that went silent; {@link #close} restores it.
 */
final class RequestBody implements AutoCloseable {
    private static final int BUFFER = 16 << 10;

    /** Enough for a body of a few hundred KiB; a larger one that nobody wants ends its connection. */
    private static final int MAX_SKIPPED_CHUNKS = 64;

    private final Request request;
    private final InputStream in;
    private final EndPoint endPoint;
    private final long idleTimeout;
    private final Duration timeout;
    private final long deadline;

    RequestBody(Request request, Duration timeout) {
        this.request = request;
        this.in = Content.Source.asInputStream(request);
        this.endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
        this.idleTimeout = endPoint.getIdleTimeout();
        this.timeout = timeout;
        this.deadline = System.nanoTime() + timeout.toNanos();
    }

    /** The whole content; what is announced too large is refused before any of it is read. */
    byte[] readAll(int maxBytes, BodyMemory.Reservation memory) throws EngineException {
        if (request.getLength() > maxBytes) {
            throw tooLarge(maxBytes);
        }
        var body = new ByteArrayOutputStream();
        byte[] buffer = new byte[BUFFER];
        try {
            for (int n = read(buffer); n >= 0; n = read(buffer)) {
                if (body.size() + n > maxBytes) {
                    throw tooLarge(maxBytes);
                }
                memory.grow(n);
                body.write(buffer, 0, n);
            }
        } catch (IOException e) {
            throw failure(e);
        }
        return body.toByteArray();
    }

    /** Reads and drops what is already here; whether that was the end, so that the connection can serve another request. */
    static boolean skipAvailable(Request request) {
        for (int chunks = 0; chunks < MAX_SKIPPED_CHUNKS; chunks++) {
            var chunk = request.read();
            if (chunk == null) {
                return false;
            }
            chunk.release();
            if (chunk.isLast()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Reads and drops what still comes, so that a client in the middle of sending can go on to read its answer: a connection closed with
     * unread data is reset, and the reset destroys the answer on its way (RFC 9112, section 9.6).
     */
    void drain(long maxBytes) {
        byte[] buffer = new byte[BUFFER];
        try {
            long left = maxBytes;
            for (int n = 0; n >= 0 && left > 0; n = read(buffer)) {
                left -= n;
            }
        } catch (IOException e) {
            // The client is gone or too slow; the connection is closed either way.
        }
    }

    private int read(byte[] buffer) throws IOException {
        long left = (deadline - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
            throw new IOException(new TimeoutException("deadline of the body"));
        }
        endPoint.setIdleTimeout(idleTimeout > 0 ? Math.min(left, idleTimeout) : left);
        return in.read(buffer);
    }

    private static EngineException tooLarge(int maxBytes) {
        return new EngineException(
                ErrorCode.BODY_TOO_LARGE,
                "The body has more than %d bytes, the most that is taken.".formatted(maxBytes));
    }

    private EngineException failure(IOException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof TimeoutException) {
                return new EngineException(
                        ErrorCode.REQUEST_TIMEOUT,
                        "The body did not arrive within %d ms.".formatted(timeout.toMillis()),
                        e);
            }
            if (cause instanceof HttpException) {
                return new EngineException(ErrorCode.BAD_HTTP, "The body is not framed as HTTP wants it.", e);
            }
        }
        return new EngineException(ErrorCode.CANCELLED, "The connection broke while the body was read.", e);
    }

    @Override
    public void close() {
        endPoint.setIdleTimeout(idleTimeout);
    }
}
