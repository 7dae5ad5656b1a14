package io.hexr.sandbox.telemetry.trace;

import io.hexr.sandbox.config.TracingConfig;
import io.hexr.sandbox.exec.ErrorCode;
import io.hexr.sandbox.exec.ExecutionObserver;
import io.hexr.sandbox.exec.ExecutionRequest;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Makes the traces of calls. The execution that begins on the thread of a request, while its {@link RequestTrace} is open, becomes a part of
 * it. Nothing that goes wrong here reaches a call.
 */
public interface Tracing extends ExecutionObserver, AutoCloseable {
    /** Makes no traces; what callers say of theirs is still known. */
    Tracing NONE = new Tracing() {
        @Override
        public RequestTrace begin(Request request) {
            return new CallersOnly(request.context().map(TraceContext::traceId).orElse(null));
        }

        @Override
        public Execution begun(String id, ExecutionRequest request) {
            return new Execution() {};
        }

        @Override
        public long lostSpans() {
            return 0;
        }

        @Override
        public void close() {}
    };

    /**
     * Opens what the configuration asks for. Without it not one class of OpenTelemetry is loaded.
     *
     * @throws IOException if what the configuration names cannot be read
     */
    static Tracing open(Optional<TracingConfig> config, Service service) throws IOException {
        return config.isPresent() ? OtlpTracing.open(config.get(), service) : NONE;
    }

    /** What all spans say of the engine. */
    record Service(String version, String backend, String isolation) {}

    /**
     * A request that has arrived.
     *
     * @param route the endpoint's path; the caller's own never becomes a name
     * @param peer address of the connection; null on a unix socket
     * @param context the caller's, if it has one
     */
    record Request(
            String method,
            String route,
            String scheme,
            String protocolVersion,
            @Nullable String peer,
            Optional<TraceContext> context) {}

    RequestTrace begin(Request request);

    /** Spans that reached no collector, since the start. */
    long lostSpans();

    /** Sends what is left, within a deadline. */
    @Override
    void close();

    /** The trace of a caller, in which the engine has no part. */
    record CallersOnly(@Nullable String traceId) implements RequestTrace {
        @Override
        public @Nullable String response() {
            return null;
        }

        @Override
        public void caller(String name) {}

        @Override
        public void failed(ErrorCode code) {}

        @Override
        public void answered(int status) {}

        @Override
        public void close() {}
    }
}
