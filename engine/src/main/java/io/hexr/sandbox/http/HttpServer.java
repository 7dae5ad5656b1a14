package io.hexr.sandbox.http;

import io.hexr.sandbox.config.EngineConfig;
import io.hexr.sandbox.config.ListenAddress;
import io.hexr.sandbox.exec.ExecutionEngine;
import io.hexr.sandbox.identity.Authenticator;
import io.hexr.sandbox.policy.PolicySource;
import io.hexr.sandbox.telemetry.audit.Audit;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
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
 * Server ─ GracefulHandler ─ HeadDeadline ─ Router ─┬─ ExecEndpoint
 *   └ ProblemErrorHandler                           ├─ LanguagesEndpoint
 *                                                   ├─ HealthEndpoint
 *                                                   └─ OpenApiEndpoint
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
            EngineConfig config, Gate gate, Audit audit, ExecutionEngine engine, HealthSource health)
            throws IOException {
        return start(config, gate, audit, engine, health, Runtime.getRuntime().maxMemory());
    }

    static HttpServer start(
            EngineConfig config, Gate gate, Audit audit, ExecutionEngine engine, HealthSource health, long heapBytes)
            throws IOException {
        var http = config.http();
        var server = new Server(threads(), new ScheduledExecutorScheduler("http-timer", true), null);
        var connector = Connectors.of(server, http, gate.tls());
        server.addConnector(connector);
        server.addBean(new NetworkConnectionLimit(http.maxConnections(), connector));
        var heads = new HeadDeadline(
                router(config, gate, audit, engine, health, heapBytes), http.idleTimeout(), server.getScheduler());
        connector.addBean(heads, false);
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
            throw new IOException(
                    "cannot listen on LISTEN_ADDRESS %s: %s".formatted(http.address(), rootMessage(e)), e);
        }
        return new HttpServer(server, connector instanceof ServerConnector tcp ? tcp.getLocalPort() : 0);
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

    private static Router router(
            EngineConfig config, Gate gate, Audit audit, ExecutionEngine engine, HealthSource health, long heapBytes) {
        int maxBytes = config.requests().maxRequestBytes();
        var http = config.http();
        var exec = new ExecEndpoint(
                new ExecutionRequestParser(config.requests(), config.sandboxes()),
                new RecordedExecutions(engine, audit),
                maxBytes,
                http.requestTimeout());
        return new Router(
                gate.authenticator(),
                gate.policy(),
                List.of(exec, new LanguagesEndpoint(health), new HealthEndpoint(health), new OpenApiEndpoint(health)),
                BodyMemory.ofHeap(heapBytes, maxBytes),
                new AnswerWriter(
                        http.requestTimeout(),
                        (long) DRAIN_FACTOR * maxBytes,
                        new ConnectionAge(http.maxConnectionAge(), http.idleTimeout())));
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
        return String.valueOf(root.getMessage());
    }

    /** The port it listens on, also when the configuration left the choice to the kernel; 0 on a unix socket. */
    public int port() {
        return port;
    }

    @Override
    public void close() {
        stop(server);
    }

    private static void stop(Server server) {
        try {
            server.stop();
        } catch (Exception e) {
            log.warn("the HTTP server did not stop cleanly", e);
        }
    }
}
