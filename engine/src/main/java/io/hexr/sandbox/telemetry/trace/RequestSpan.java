package io.hexr.sandbox.telemetry.trace;

import io.hexr.sandbox.exec.ErrorCode;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import org.jspecify.annotations.Nullable;

/** The span of a request, current on its thread from the beginning to {@link #close}. Whoever answers may do so on another thread. */
final class RequestSpan implements RequestTrace {
    private static final int CLIENT_ERROR = 400;
    private static final int SERVER_ERROR = 500;

    private final Span span;
    private final Scope scope;
    private volatile @Nullable ErrorCode failure;

    @SuppressWarnings("MustBeClosedChecker") // close does
    RequestSpan(Span span) {
        this.span = span;
        this.scope = span.makeCurrent();
    }

    @Override
    public String traceId() {
        return span.getSpanContext().getTraceId();
    }

    @Override
    public String response() {
        var context = span.getSpanContext();
        return "00-%s-%s-%s"
                .formatted(
                        context.getTraceId(),
                        context.getSpanId(),
                        context.getTraceFlags().asHex());
    }

    @Override
    public void caller(String name) {
        span.setAttribute("enduser.id", name);
    }

    @Override
    public void failed(ErrorCode code) {
        failure = code;
        span.setAttribute("hexr.outcome", code.id());
    }

    /** Semantic Conventions for HTTP: what the client did wrong is no error of the server's. */
    @Override
    public void answered(int status) {
        span.setAttribute("http.response.status_code", status);
        var code = failure;
        if (code == null && status < CLIENT_ERROR) {
            span.setAttribute("hexr.outcome", "ok");
        }
        if (status >= SERVER_ERROR) {
            String type = code == null ? Integer.toString(status) : code.id();
            span.setAttribute("error.type", type);
            span.setStatus(StatusCode.ERROR, type);
        }
        span.end();
    }

    @Override
    public void close() {
        scope.close();
        span.end();
    }
}
