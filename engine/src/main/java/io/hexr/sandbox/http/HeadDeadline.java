package io.hexr.sandbox.http;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection that does not bring a complete request head in time. Jetty's idle timeout does not: a client that sends one byte now
 * and then is never idle, and could hold its connection for as long as the largest head has bytes ("slow loris").
 *
 * <p>A connection is <b>waiting</b> (opened, or its last answer is sent; a timer runs) or <b>serving</b> (its request is with the handlers;
 * no timer). A timer that fires closes the connection, which also removes it here; so there are never more timers than connections, plus
 * those of connections that closed while their request was completing, which remove themselves when they fire.
 */
final class HeadDeadline extends Handler.Wrapper implements Connection.Listener {
    private final Duration timeout;
    private final Scheduler scheduler;
    private final Map<EndPoint, Scheduler.Task> timers = new ConcurrentHashMap<>();

    HeadDeadline(Handler handler, Duration timeout, Scheduler scheduler) {
        super(handler);
        this.timeout = timeout;
        this.scheduler = scheduler;
    }

    @Override
    public void onOpened(Connection connection) {
        startTimer(transport(connection));
    }

    @Override
    public void onClosed(Connection connection) {
        stopTimer(transport(connection));
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        var endPoint = transport(request.getConnectionMetaData().getConnection());
        stopTimer(endPoint);
        Request.addCompletionListener(request, _ -> startTimer(endPoint));
        return super.handle(request, response, callback);
    }

    /** Under TLS there are two connections, one in the other, on one socket: they share its timer, and the handshake its time. */
    private static EndPoint transport(Connection connection) {
        EndPoint endPoint = connection.getEndPoint();
        while (endPoint instanceof EndPoint.Wrapper wrapper) {
            endPoint = wrapper.unwrap();
        }
        return endPoint;
    }

    private void startTimer(EndPoint endPoint) {
        var timer = scheduler.schedule(() -> expire(endPoint), timeout.toNanos(), TimeUnit.NANOSECONDS);
        cancel(timers.put(endPoint, timer));
    }

    private void stopTimer(EndPoint endPoint) {
        cancel(timers.remove(endPoint));
    }

    private static void cancel(Scheduler.@Nullable Task old) {
        if (old != null) {
            old.cancel();
        }
    }

    private void expire(EndPoint endPoint) {
        timers.remove(endPoint);
        endPoint.close(new TimeoutException("no complete request head in time"));
    }
}
