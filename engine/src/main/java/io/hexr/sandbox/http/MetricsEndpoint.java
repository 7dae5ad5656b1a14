package io.hexr.sandbox.http;

import io.hexr.sandbox.policy.Caller;
import io.hexr.sandbox.telemetry.metrics.Metrics;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/** {@code GET /metrics}: Prometheus' text format or OpenMetrics, as {@code Accept} asks. */
final class MetricsEndpoint implements Endpoint {
    static final String PATH = "/metrics";

    private final Metrics metrics;
    private final boolean open;

    /** @param open whether everybody who reaches the port may read */
    MetricsEndpoint(Metrics metrics, boolean open) {
        this.metrics = metrics;
        this.open = open;
    }

    @Override
    public String path() {
        return PATH;
    }

    @Override
    public List<String> methods() {
        return List.of("GET", "HEAD");
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public Answer handle(Request request, Caller caller, BodyMemory.Reservation memory) {
        var exposition = metrics.expose(request.getHeaders().get(HttpHeader.ACCEPT));
        return new Answer(200, exposition.mediaType(), exposition.body(), Map.of());
    }
}
