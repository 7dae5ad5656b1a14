package io.hexr.sandbox.telemetry.trace;

import io.hexr.sandbox.config.TracingConfig;
import io.hexr.sandbox.exec.ExecutionRequest;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Traces by OpenTelemetry, sent by OTLP over HTTP.
 *
 * <p>Spans begin and end on the threads of the calls and are sent by threads of OpenTelemetry: whatever becomes of the collector, calls neither
 * wait nor fail. What is not sent is bounded and counted by the {@link SpanOutlet}. Closing sends what is left for as long as {@link #FLUSH}; the rest
 * is dropped.
 */
final class OtlpTracing implements Tracing {
    private static final Duration FLUSH = Duration.ofSeconds(5);
    private static final int MAX_BATCH = 512;
    private static final int MAX_ATTRIBUTE_LENGTH = 2_048;

    /** Semantic Conventions for HTTP: a method that is none of these must not become a name. */
    private static final Set<String> METHODS =
            Set.of("CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE");

    /** Says of every batch what {@link SpanOutlet} says once a minute. Held, because java.util.logging forgets what nobody holds. */
    private static final Logger OPENTELEMETRY = Logger.getLogger("io.opentelemetry");

    private final SpanOutlet outlet;
    private final SdkTracerProvider provider;
    private final Tracer tracer;
    private final Service service;

    private OtlpTracing(SpanOutlet outlet, SdkTracerProvider provider, Service service) {
        this.outlet = outlet;
        this.provider = provider;
        this.tracer = provider.tracerBuilder("io.hexr.sandbox")
                .setInstrumentationVersion(service.version())
                .build();
        this.service = service;
    }

    static OtlpTracing open(TracingConfig config, Service service) throws IOException {
        OPENTELEMETRY.setLevel(Level.OFF);
        var outlet = new SpanOutlet(
                config.endpoint().toString(), config.queue(), exporter(config), exporter -> batches(config, exporter));
        var provider = SdkTracerProvider.builder()
                .setResource(resource(config, service))
                .setSampler(sampler(config))
                .setSpanLimits(SpanLimits.builder()
                        .setMaxAttributeValueLength(MAX_ATTRIBUTE_LENGTH)
                        .build())
                .addSpanProcessor(outlet)
                .build();
        return new OtlpTracing(outlet, provider, service);
    }

    private static Resource resource(TracingConfig config, Service service) {
        var attributes = Attributes.builder();
        config.resource().forEach(attributes::put);
        attributes
                .put("service.name", config.serviceName())
                .put("service.version", service.version())
                .put("service.instance.id", UUID.randomUUID().toString());
        return Resource.getDefault().merge(Resource.create(attributes.build()));
    }

    private static Sampler sampler(TracingConfig config) {
        return switch (config.sampler()) {
            case ALWAYS_ON -> Sampler.alwaysOn();
            case ALWAYS_OFF -> Sampler.alwaysOff();
            case TRACEIDRATIO -> Sampler.traceIdRatioBased(config.ratio());
            case PARENTBASED_ALWAYS_ON -> Sampler.parentBased(Sampler.alwaysOn());
            case PARENTBASED_ALWAYS_OFF -> Sampler.parentBased(Sampler.alwaysOff());
            case PARENTBASED_TRACEIDRATIO -> Sampler.parentBased(Sampler.traceIdRatioBased(config.ratio()));
        };
    }

    private static SpanExporter exporter(TracingConfig config) throws IOException {
        var exporter = OtlpHttpSpanExporter.builder()
                .setEndpoint(config.endpoint().toString())
                .setTimeout(config.timeout());
        config.headers().forEach(exporter::addHeader);
        if (config.certificate().isPresent()) {
            try {
                exporter.setTrustedCertificates(
                        Files.readAllBytes(config.certificate().get()));
            } catch (IOException | RuntimeException e) {
                throw new IOException("OTEL_EXPORTER_OTLP_CERTIFICATE cannot be used: " + e, e);
            }
        }
        return exporter.build();
    }

    private static BatchSpanProcessor batches(TracingConfig config, SpanExporter exporter) {
        return BatchSpanProcessor.builder(exporter)
                .setMaxQueueSize(config.queue())
                .setMaxExportBatchSize(Math.min(MAX_BATCH, config.queue()))
                .setScheduleDelay(config.delay())
                .setExporterTimeout(config.timeout())
                .build();
    }

    @Override
    public long lostSpans() {
        return outlet.lost();
    }

    @Override
    public RequestTrace begin(Request request) {
        String method = METHODS.contains(request.method()) ? request.method() : "_OTHER";
        var span = tracer.spanBuilder("%s %s".formatted(method.equals("_OTHER") ? "HTTP" : method, request.route()))
                .setSpanKind(SpanKind.SERVER)
                .setParent(request.context().map(OtlpTracing::parent).orElseGet(Context::root))
                .setAttribute("http.request.method", method)
                .setAttribute("http.route", request.route())
                .setAttribute("url.path", request.route())
                .setAttribute("url.scheme", request.scheme())
                .setAttribute("network.protocol.version", request.protocolVersion())
                .setAttribute("hexr.backend", service.backend())
                .setAttribute("hexr.isolation", service.isolation());
        String peer = request.peer();
        if (peer != null) {
            span.setAttribute("network.peer.address", peer);
        }
        return new RequestSpan(span.startSpan());
    }

    /** The state is read by OpenTelemetry, which leaves out one that is not legal. */
    private static Context parent(TraceContext caller) {
        return W3CTraceContextPropagator.getInstance()
                .extract(
                        Context.root(),
                        Map.of("traceparent", caller.traceparent(), "tracestate", caller.state()),
                        (headers, name) -> headers == null ? null : headers.get(name));
    }

    @Override
    public Execution begun(String id, ExecutionRequest request) {
        return new ExecutionSpans(tracer, Span.current(), id, request);
    }

    @Override
    public void close() {
        provider.shutdown().join(FLUSH.toMillis(), TimeUnit.MILLISECONDS);
    }
}
