package io.hexr.sandbox.http;

import io.hexr.sandbox.config.EngineConfig;
import io.hexr.sandbox.config.ListenAddress;
import io.hexr.sandbox.telemetry.metrics.Metrics;
import java.io.IOException;
import java.util.List;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * Serves {@code GET /metrics}, and nothing else, to whoever reaches a port of its own: a Prometheus that has no SVID. Neither TLS nor
 * authentication is here, so the port belongs on loopback or on a network that only monitoring reaches. It has the deadlines of the main port
 * and few connections, so that it cannot be used to hold up the engine.
 */
public final class MetricsServer implements AutoCloseable {
    private static final int MAX_CONNECTIONS = 16;
    private static final int MAX_REQUEST_BYTES = 1 << 10;

    private final Server server;

    private MetricsServer(Server server) {
        this.server = server;
    }

    public static MetricsServer start(EngineConfig config, ListenAddress address, HttpServer.Gate gate, Metrics metrics)
            throws IOException {
        var http = config.http().at(address, MAX_CONNECTIONS);
        var router = new Router(
                gate.authenticator(),
                gate.policy(),
                new AllowedOrigins(http.allowedOrigins()),
                List.of(new MetricsEndpoint(metrics, true)),
                BodyMemory.ofHeap(0, MAX_REQUEST_BYTES),
                new AnswerWriter(
                        http.requestTimeout(),
                        MAX_REQUEST_BYTES,
                        new ConnectionAge(http.maxConnectionAge(), http.idleTimeout())),
                metrics.http());
        return new MetricsServer(HttpServer.serve(http, "METRICS_LISTEN_ADDRESS", null, router));
    }

    /** 0 on a unix socket. */
    public int port() {
        return server.getConnectors()[0] instanceof ServerConnector tcp ? tcp.getLocalPort() : 0;
    }

    @Override
    public void close() {
        HttpServer.stop(server);
    }
}
