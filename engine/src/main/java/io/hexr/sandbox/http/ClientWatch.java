package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.Cancellation;
import java.io.IOException;
import java.nio.BufferOverflowException;
import java.util.concurrent.CancellationException;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

/**
 * Cancels a call when its client goes away. Jetty reads nothing from a connection of HTTP/1.1 while a request of it is with a handler, so
 * nobody would see the client's end of stream before the answer is written. This asks in the handler's time for what comes next.
 *
 * <p>New → watching, when the whole request is read → over, by {@link #close}, before the answer is complete: from then on
 * the connection reads for itself, and at most one may ask. What comes while it watches:
 *
 * <ul>
 *   <li>The end of the stream, or its failure: the client is gone. One that only says that it will send no more cannot be told from it, and
 *       counts as gone, as it does for Envoy, nginx and others.
 *   <li>A byte: the client is there, and its next request begins. The connection gets the byte back; to watch on would be to read that request.
 *       Such a client's end is noticed when something is written.
 * </ul>
 */
final class ClientWatch implements Callback, AutoCloseable {
    private final Connection connection;
    private final AbstractEndPoint endPoint;
    private final Cancellation cancellation = new Cancellation();
    private boolean asked;
    private boolean over;

    ClientWatch(Request request) {
        this.connection = request.getConnectionMetaData().getConnection();
        this.endPoint = (AbstractEndPoint) connection.getEndPoint();
    }

    Cancellation cancellation() {
        return cancellation;
    }

    /** Watches from the moment when the request is read. */
    RecordedExecutions.Source watching(RecordedExecutions.Source source) {
        return () -> {
            var request = source.read();
            start();
            return request;
        };
    }

    private synchronized void start() {
        asked = endPoint.tryFillInterested(this);
    }

    /** There is something to read; what is not taken here the connection finds again. */
    @Override
    public synchronized void succeeded() {
        asked = false;
        if (!over) {
            read();
        }
    }

    private void read() {
        var next = BufferUtil.allocate(1);
        try {
            int count = endPoint.fill(next);
            if (count < 0) {
                cancellation.cancel();
            } else if (count == 0) {
                start();
            } else if (connection instanceof Connection.UpgradeTo reader) {
                reader.onUpgradeTo(next);
            }
        } catch (IOException | BufferOverflowException e) {
            // The overflow: so many requests wait behind this one that there is no room for a byte of the next.
            endPoint.close(e);
            cancellation.cancel();
        }
    }

    /** The connection was closed from this side. */
    @Override
    public synchronized void failed(Throwable why) {
        asked = false;
        if (!over) {
            cancellation.cancel();
        }
    }

    @Override
    public InvocationType getInvocationType() {
        return InvocationType.NON_BLOCKING;
    }

    @Override
    public synchronized void close() {
        over = true;
        if (asked) {
            endPoint.getFillInterest().onFail(new CancellationException("nobody watches any more"));
        }
    }
}
