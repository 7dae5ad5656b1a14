package io.hexr.sandbox.http;

import io.hexr.sandbox.telemetry.trace.RequestTrace;
import io.hexr.sandbox.telemetry.trace.TraceContext;
import io.hexr.sandbox.telemetry.trace.Tracing;
import java.util.Set;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Traces the requests for some paths, from their heads until their answers are sent. What is behind it runs on the same thread, and so finds the
 * trace's context; it also finds the {@link RequestTrace} by {@link #of}.
 */
final class TracingHandler extends Handler.Wrapper {
    /** W3C Trace Context Level 3. */
    static final String RESPONSE_HEADER = "traceresponse";

    private static final String ATTRIBUTE = RequestTrace.class.getName();
    private static final RequestTrace NONE = new Tracing.CallersOnly(null);

    private final Tracing tracing;
    private final Set<String> paths;

    TracingHandler(Handler handler, Tracing tracing, Set<String> paths) {
        super(handler);
        this.tracing = tracing;
        this.paths = Set.copyOf(paths);
    }

    /** Of a request for one of the paths. */
    static RequestTrace of(Request request) {
        return request.getAttribute(ATTRIBUTE) instanceof RequestTrace trace ? trace : NONE;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        String path = Request.getPathInContext(request);
        if (!paths.contains(path)) {
            return super.handle(request, response, callback);
        }
        try (var trace = tracing.begin(describe(request, path))) {
            request.setAttribute(ATTRIBUTE, trace);
            String header = trace.response();
            if (header != null) {
                response.getHeaders().put(RESPONSE_HEADER, header);
            }
            return super.handle(request, response, new Callback.Nested(callback) {
                @Override
                public void succeeded() {
                    trace.answered(response.getStatus());
                    super.succeeded();
                }
            });
        }
    }

    private static Tracing.Request describe(Request request, String path) {
        var headers = request.getHeaders();
        var address = PeerOf.request(request).address();
        return new Tracing.Request(
                request.getMethod(),
                path,
                String.valueOf(request.getHttpURI().getScheme()),
                request.getConnectionMetaData().getHttpVersion().asString().replace("HTTP/", ""),
                address == null ? null : address.getHostAddress(),
                TraceContext.parse(headers.getValuesList("traceparent"), headers.getValuesList("tracestate")));
    }
}
