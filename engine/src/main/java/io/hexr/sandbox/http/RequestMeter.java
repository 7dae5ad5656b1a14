package io.hexr.sandbox.http;

import io.hexr.sandbox.identity.AuthenticationException;
import io.hexr.sandbox.telemetry.metrics.HttpMetrics;
import java.time.Duration;
import java.util.Set;
import org.eclipse.jetty.io.ssl.SslHandshakeListener;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts answers and handshakes that fail, and says why a certificate was refused. Around all other handlers, so that what they refuse counts too. */
final class RequestMeter extends Handler.Wrapper implements SslHandshakeListener {
    private static final Logger log = LoggerFactory.getLogger(RequestMeter.class);
    private static final String OTHER = "other";

    private final HttpMetrics metrics;
    private final Set<String> paths;

    /** @param paths that there are; clients can ask for any, and each would be a series of its own */
    RequestMeter(Handler handler, HttpMetrics metrics, Set<String> paths) {
        super(handler);
        this.metrics = metrics;
        this.paths = Set.copyOf(paths);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        long begun = System.nanoTime();
        String asked = Request.getPathInContext(request);
        String path = paths.contains(asked) ? asked : OTHER;
        Request.addCompletionListener(
                request,
                _ -> metrics.answered(path, response.getStatus(), Duration.ofNanos(System.nanoTime() - begun)));
        return super.handle(request, response, callback);
    }

    @Override
    public void handshakeFailed(Event event, Throwable failure) {
        metrics.handshakeFailed();
        var peer = event.getEndPoint().getRemoteSocketAddress();
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof AuthenticationException refusal) {
                // TLS tells the client next to nothing, so who asks why finds it here.
                metrics.unproven(refusal.kind());
                log.info("TLS handshake with {} refused: {}", peer, refusal.reason());
                return;
            }
        }
        log.debug("TLS handshake with {} failed: {}", peer, failure.toString());
    }
}
