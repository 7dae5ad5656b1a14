package io.hexr.sandbox.telemetry.trace;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** A collector: takes OTLP over HTTP on a loopback port and keeps what comes. */
public final class OtlpReceiver implements AutoCloseable {
    private static final Duration DEADLINE = Duration.ofSeconds(30);

    private final HttpServer server;
    private final List<Received> spans = new ArrayList<>();
    private final AtomicInteger requests = new AtomicInteger();
    private volatile int status = 200;
    private volatile Map<String, List<String>> headers = Map.of();
    private volatile Map<String, String> resource = Map.of();

    public OtlpReceiver() throws IOException {
        this(0);
    }

    /** On a port that somebody else had before. */
    public OtlpReceiver(int port) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext("/v1/traces", this::take);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
    }

    /** A span as it came over the wire. */
    public record Received(Span span) {
        public String name() {
            return span.getName();
        }

        public String traceId() {
            return HexFormat.of().formatHex(span.getTraceId().toByteArray());
        }

        public String id() {
            return HexFormat.of().formatHex(span.getSpanId().toByteArray());
        }

        public String parentId() {
            return HexFormat.of().formatHex(span.getParentSpanId().toByteArray());
        }

        public Map<String, String> attributes() {
            return OtlpReceiver.attributes(span.getAttributesList());
        }

        public List<String> linkedTraces() {
            return span.getLinksList().stream()
                    .map(link -> HexFormat.of().formatHex(link.getTraceId().toByteArray()))
                    .toList();
        }

        public boolean isError() {
            return span.getStatus().getCode() == io.opentelemetry.proto.trace.v1.Status.StatusCode.STATUS_CODE_ERROR;
        }

        public Duration duration() {
            return Duration.ofNanos(span.getEndTimeUnixNano() - span.getStartTimeUnixNano());
        }
    }

    private static Map<String, String> attributes(List<KeyValue> attributes) {
        return attributes.stream().collect(Collectors.toMap(KeyValue::getKey, pair -> text(pair.getValue())));
    }

    private static String text(AnyValue value) {
        return switch (value.getValueCase()) {
            case STRING_VALUE -> value.getStringValue();
            case INT_VALUE -> Long.toString(value.getIntValue());
            case BOOL_VALUE -> Boolean.toString(value.getBoolValue());
            case DOUBLE_VALUE -> Double.toString(value.getDoubleValue());
            default -> value.toString();
        };
    }

    private void take(HttpExchange exchange) throws IOException {
        try (exchange) {
            headers = Map.copyOf(exchange.getRequestHeaders());
            var request = ExportTraceServiceRequest.parseFrom(exchange.getRequestBody());
            requests.incrementAndGet();
            int answer = status;
            // Before the answer: who has it may look.
            if (answer == 200) {
                keep(request);
            }
            exchange.sendResponseHeaders(answer, -1);
        }
    }

    private synchronized void keep(ExportTraceServiceRequest request) {
        for (ResourceSpans ofResource : request.getResourceSpansList()) {
            resource = attributes(ofResource.getResource().getAttributesList());
            ofResource
                    .getScopeSpansList()
                    .forEach(scope -> scope.getSpansList().forEach(span -> spans.add(new Received(span))));
        }
        notifyAll();
    }

    /** From now on every request gets this answer. */
    public void answer(int newStatus) {
        status = newStatus;
    }

    /** What an engine sends to. */
    public String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    public int port() {
        return server.getAddress().getPort();
    }

    public int requests() {
        return requests.get();
    }

    public Map<String, List<String>> headers() {
        return headers;
    }

    public Map<String, String> resource() {
        return resource;
    }

    public synchronized List<Received> spans() {
        return List.copyOf(spans);
    }

    /** Waits until what has come fulfils the condition; gives all that has come. */
    public synchronized List<Received> await(String what, Predicate<List<Received>> condition)
            throws InterruptedException {
        if (!comes(DEADLINE, condition)) {
            throw new AssertionError("not in time: %s; spans so far: %s".formatted(what, spans));
        }
        return List.copyOf(spans);
    }

    /** Whether what comes within this time fulfils the condition. */
    public synchronized boolean comes(Duration time, Predicate<List<Received>> condition) throws InterruptedException {
        long deadline = System.nanoTime() + time.toNanos();
        while (!condition.test(spans)) {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return false;
            }
            wait(left);
        }
        return true;
    }

    /** Waits until the trace has spans of these names; they come in no order, for each is sent after its own end. */
    public SpanTree awaitTrace(String traceId, String... names) throws InterruptedException {
        return SpanTree.of(
                traceId,
                await(
                        "spans %s of trace %s".formatted(List.of(names), traceId),
                        all -> SpanTree.of(traceId, all).names().containsAll(List.of(names))));
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
