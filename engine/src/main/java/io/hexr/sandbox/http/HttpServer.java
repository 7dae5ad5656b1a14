package io.hexr.sandbox.http;

import io.hexr.sandbox.config.EngineConfig;
import io.hexr.sandbox.config.ListenAddress;
import io.hexr.sandbox.exec.ExecutionEngine;
import io.hexr.sandbox.identity.Authenticator;
import io.hexr.sandbox.mcp.McpServer;
import io.hexr.sandbox.policy.PolicySource;
import io.hexr.sandbox.telemetry.audit.Audit;
import io.hexr.sandbox.telemetry.metrics.HttpMetrics;
import io.hexr.sandbox.telemetry.metrics.Metrics;
import io.hexr.sandbox.telemetry.trace.Tracing;
import java.io.IOException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.io.ssl.SslHandshakeListener;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP front of the engine.
 *
 * <p>States: <b>serving</b> from {@link #start} until {@link #close}. A start that fails leaves nothing behind. Closing stops accepting,
 * answers new requests on open connections with 503, lets those in progress end within a grace, then cuts them. Draining the engine is not
 * done here: whoever owns both drains first and closes then, so that {@code /health} can tell.
 *
 * <p>Every request has a virtual thread of its own, which blocks. Their number needs no bound of its own: a connection has one request at a
 * time, and connections are bounded; a bound below that would let waiting calls keep {@code /health} from its answer. What a client can hold
 * up is bounded by deadlines: the head ({@link HeadDeadline}), the body ({@link RequestBody}), the answer ({@link AnswerWriter}).
 *
 * <pre>
 * Server ─ GracefulHandler ─ HeadDeadline ─ RequestMeter ─ TracingHandler ─ Router ─┬─ ExecEndpoint
 *   └ ProblemErrorHandler                                                           ├─ McpEndpoint
 *                                                                                   ├─ LanguagesEndpoint
 *                                                                                   ├─ HealthEndpoint
 *                                                                                   ├─ OpenApiEndpoint
 *                                                                                   ├─ MetricsEndpoint
 *                                                                                   └─ PlaygroundEndpoint, unless it is switched off
 * </pre>
 */
public final class HttpServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(HttpServer.class);
    private static final Duration STOP_GRACE = Duration.ofSeconds(5);

    /** Four times the largest body: who sends more than that has not looked at the answer. */
    private static final int DRAIN_FACTOR = 4;

    private final Server server;
    private final int port;

    private HttpServer(Server server, int port) {
        this.server = server;
        this.port = port;
    }

    /** Listens and serves. The engine refuses by itself what it cannot run yet or any more. */
    public static HttpServer start(
            EngineConfig config,
            Gate gate,
            Audit audit,
            Metrics metrics,
            Tracing tracing,
            ExecutionEngine engine,
            HealthSource health)
            throws IOException {
        return start(
                config,
                gate,
                audit,
                metrics,
                tracing,
                engine,
                health,
                Runtime.getRuntime().maxMemory());
    }

    static HttpServer start(
            EngineConfig config,
            Gate gate,
            Audit audit,
            Metrics metrics,
            Tracing tracing,
            ExecutionEngine engine,
            HealthSource health,
            long heapBytes)
            throws IOException {
        var endpoints = endpoints(config, audit, metrics, engine, health);
        var memory = BodyMemory.ofHeap(heapBytes, config.requests().maxRequestBytes());
        var paths = endpoints.stream().map(Endpoint::path).collect(Collectors.toSet());
        var traced = new TracingHandler(
                router(config, gate, endpoints, memory, metrics.http()), tracing, pathsThatRunCode(endpoints));
        var meter = new RequestMeter(traced, metrics.http(), paths);
        var server = serve(config.http(), "LISTEN_ADDRESS", gate.tls(), meter);
        var connector = server.getConnectors()[0];
        metrics.http()
                .watch(
                        () -> connector.getConnectedEndPoints().size(),
                        config.http().maxConnections(),
                        memory::used,
                        memory.capacity());
        return new HttpServer(server, connector instanceof ServerConnector tcp ? tcp.getLocalPort() : 0);
    }

    /**
     * Listens with all deadlines and limits.
     *
     * @param variable which the address is from
     * @param tls null for none
     */
    static Server serve(EngineConfig.Http http, String variable, @Nullable SSLContext tls, Handler handler)
            throws IOException {
        var server = new Server(threads(), new ScheduledExecutorScheduler("http-timer", true), null);
        var connector = Connectors.of(server, http, tls);
        server.addConnector(connector);
        server.addBean(new NetworkConnectionLimit(http.maxConnections(), connector));
        var heads = new HeadDeadline(handler, http.idleTimeout(), server.getScheduler());
        connector.addBean(heads, false);
        if (handler instanceof SslHandshakeListener listener) {
            connector.addBean(listener, false);
        }
        server.setHandler(new GracefulHandler(heads));
        server.setErrorHandler(new ProblemErrorHandler());
        server.setStopTimeout(STOP_GRACE.toMillis());
        try {
            server.start();
            if (http.address() instanceof ListenAddress.UnixSocket socket) {
                Connectors.openToGroup(socket.path());
            }
        } catch (Exception e) {
            stop(server);
            throw new IOException("cannot listen on %s %s: %s".formatted(variable, http.address(), rootMessage(e)), e);
        }
        return server;
    }

    /**
     * Who is let in.
     *
     * @param tls null when the engine speaks none
     */
    public record Gate(
            Authenticator authenticator,
            PolicySource policy,
            @Nullable SSLContext tls) {}

    private static List<Endpoint> endpoints(
            EngineConfig config, Audit audit, Metrics metrics, ExecutionEngine engine, HealthSource health) {
        int maxBytes = config.requests().maxRequestBytes();
        var timeout = config.http().requestTimeout();
        var parser = new ExecutionRequestParser(config.requests(), config.sandboxes());
        var executions = new RecordedExecutions(engine, audit, metrics.http());
        var mcp = new McpServer(config.requests(), config.sandboxes(), () -> McpEndpoint.inventory(health.health()));
        var endpoints = new ArrayList<Endpoint>();
        var streams = new ExecutionStream.Settings(
                config.http().streamHeartbeat(), config.requests().maxExecutionTime(), timeout, age(config.http()));
        endpoints.add(new ExecEndpoint(parser, executions, maxBytes, timeout, streams));
        endpoints.add(new McpEndpoint(mcp, parser, executions, maxBytes, timeout));
        endpoints.add(new LanguagesEndpoint(health));
        endpoints.add(new HealthEndpoint(health));
        endpoints.add(new OpenApiEndpoint(health));
        if (config.metricsAddress().isEmpty()) {
            endpoints.add(new MetricsEndpoint(metrics, false));
        }
        if (config.http().playground()) {
            PlaygroundEndpoint.ofThisBuild().ifPresent(endpoints::add);
        }
        return endpoints;
    }

    private static Set<String> pathsThatRunCode(List<Endpoint> endpoints) {
        return endpoints.stream()
                .filter(Endpoint::runsCode)
                .map(Endpoint::path)
                .collect(Collectors.toUnmodifiableSet());
    }

    private static ConnectionAge age(EngineConfig.Http http) {
        return new ConnectionAge(http.maxConnectionAge(), http.idleTimeout());
    }

    private static Router router(
            EngineConfig config, Gate gate, List<Endpoint> endpoints, BodyMemory memory, HttpMetrics metrics) {
        var http = config.http();
        return new Router(
                gate.authenticator(),
                gate.policy(),
                new AllowedOrigins(http.allowedOrigins()),
                endpoints,
                memory,
                new AnswerWriter(
                        http.requestTimeout(),
                        (long) DRAIN_FACTOR * config.requests().maxRequestBytes(),
                        age(http)),
                metrics);
    }

    private static QueuedThreadPool threads() {
        var virtual = new VirtualThreadPool();
        virtual.setMaxConcurrentTasks(0);
        virtual.setName("http");
        var pool = new QueuedThreadPool();
        pool.setName("http-io");
        pool.setVirtualThreadsExecutor(virtual);
        return pool;
    }

    private static String rootMessage(Throwable e) {
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root instanceof UnresolvedAddressException
                ? "this host has no address"
                : String.valueOf(root.getMessage());
    }

    /** The port it listens on, also when the configuration left the choice to the kernel; 0 on a unix socket. */
    public int port() {
        return port;
    }

    @Override
    public void close() {
        stop(server);
    }

    static void stop(Server server) {
        try {
            server.stop();
        } catch (Exception e) {
            log.warn("the HTTP server did not stop cleanly", e);
        }
    }
}
