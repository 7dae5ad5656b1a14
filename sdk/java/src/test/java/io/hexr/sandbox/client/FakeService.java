package io.hexr.sandbox.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/** A service that answers as it is told: real sockets, real HTTP, no sandbox. It gives the replies in order and the last of them for ever. */
final class FakeService implements AutoCloseable {
    static final String RESULT = """
            {"stdout": "42\\n", "stderr": "", "exit_code": 0, "execution_time_ms": 12, "memory_used_mb": 34, "execution_id": "exec-1",
             "language": "python", "timed_out": false, "oom_killed": false, "signal": null, "stdout_truncated": false,
             "stderr_truncated": false, "limit": null, "artifacts": [], "artifacts_skipped": []}""";

    /** Writes a body in its own way. */
    interface Body {
        void write(OutputStream out) throws IOException, InterruptedException;
    }

    record Reply(int status, Map<String, String> headers, Body body) {
        static Reply of(int status, String mediaType, String body) {
            return new Reply(status, Map.of("Content-Type", mediaType), out -> out.write(body.getBytes(UTF_8)));
        }

        Reply with(String header, String value) {
            var more = new HashMap<>(headers);
            more.put(header, value);
            return new Reply(status, more, body);
        }
    }

    static Reply json(String body) {
        return Reply.of(200, "application/json", body);
    }

    static Reply problem(int status, String code) {
        return Reply.of(
                status,
                "application/problem+json",
                "{\"title\": \"T\", \"status\": %d, \"detail\": \"D.\", \"code\": \"%s\", \"retryable\": false}"
                        .formatted(status, code));
    }

    static Reply events(String text) {
        return Reply.of(200, "text/event-stream", text);
    }

    static Reply events(Body body) {
        return new Reply(200, Map.of("Content-Type", "text/event-stream"), body);
    }

    record Asked(
            String method,
            String path,
            Map<String, List<String>> headers,
            String body,
            @Nullable X509Certificate peer) {}

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Deque<Reply> replies = new ArrayDeque<>(List.of(json(RESULT)));
    private final List<Asked> asked = new CopyOnWriteArrayList<>();
    private final Set<InetSocketAddress> connections = ConcurrentHashMap.newKeySet();
    /** Open once a client was seen to be gone. */
    private final CountDownLatch abandoned = new CountDownLatch(1);

    FakeService() throws IOException {
        this(HttpServer.create(loopback(), 0));
    }

    /** One that shows and wants certificates. */
    FakeService(SSLContext tls) throws IOException {
        this(wantingCertificates(HttpsServer.create(loopback(), 0), tls));
    }

    private FakeService(HttpServer server) {
        this.server = server;
        server.createContext("/", this::handle);
        server.setExecutor(threads);
        server.start();
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private static HttpServer wantingCertificates(HttpsServer server, SSLContext tls) {
        server.setHttpsConfigurator(new HttpsConfigurator(tls) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters wanted = tls.getDefaultSSLParameters();
                wanted.setWantClientAuth(true);
                parameters.setSSLParameters(wanted);
            }
        });
        return server;
    }

    String url() {
        var scheme = server instanceof HttpsServer ? "https" : "http";
        return "%s://127.0.0.1:%d".formatted(scheme, server.getAddress().getPort());
    }

    FakeService reply(Reply... next) {
        synchronized (replies) {
            replies.clear();
            replies.addAll(List.of(next));
        }
        return this;
    }

    Set<InetSocketAddress> connections() {
        return connections;
    }

    List<Asked> asked() {
        return asked;
    }

    /** Waits until a reply could not be written to its end. */
    boolean sawTheClientLeave() throws InterruptedException {
        return abandoned.await(20, TimeUnit.SECONDS);
    }

    private void handle(HttpExchange exchange) throws IOException {
        connections.add(exchange.getRemoteAddress());
        try (exchange) {
            asked.add(new Asked(
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().getPath(),
                    Map.copyOf(exchange.getRequestHeaders()),
                    new String(exchange.getRequestBody().readAllBytes(), UTF_8),
                    peer(exchange)));
            var reply = next();
            reply.headers().forEach(exchange.getResponseHeaders()::set);
            exchange.sendResponseHeaders(reply.status(), 0);
            reply.body().write(exchange.getResponseBody());
        } catch (IOException e) {
            abandoned.countDown();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Reply next() {
        synchronized (replies) {
            return replies.size() > 1 ? replies.remove() : replies.element();
        }
    }

    private static @Nullable X509Certificate peer(HttpExchange exchange) {
        try {
            return exchange instanceof HttpsExchange tls
                    ? (X509Certificate) tls.getSSLSession().getPeerCertificates()[0]
                    : null;
        } catch (SSLPeerUnverifiedException e) {
            return null;
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
