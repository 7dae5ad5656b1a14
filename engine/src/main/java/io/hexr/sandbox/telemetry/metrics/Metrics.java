package io.hexr.sandbox.telemetry.metrics;

import io.hexr.sandbox.exec.ExecutionObserver;
import io.hexr.sandbox.pool.PoolObserver;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.instrumentation.jvm.JvmGarbageCollectorMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmMemoryMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmThreadsMetrics;
import io.prometheus.metrics.instrumentation.jvm.ProcessMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * What the engine tells Prometheus: one registry, made once at the start.
 *
 * <p>Whoever knows of an event tells it here: executions and pool through their observers, the HTTP front through {@link HttpMetrics}. What has a
 * value at any moment is asked for when somebody reads ({@link EngineState}). The values of labels come from enums and from lists that are fixed at
 * the start, never from callers, so the number of series is bounded whoever calls.
 */
public final class Metrics {
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final ExpositionFormats formats = ExpositionFormats.init();
    private final Instruments instruments = new Instruments(registry);
    private final ExecutionMetrics executions = new ExecutionMetrics(instruments);
    private final PoolMetrics pool = new PoolMetrics(instruments);
    private final HttpMetrics http = new HttpMetrics(instruments);

    public Metrics(String version) {
        instruments
                .info("hexr_build_info", "Version of the engine and of its Java.", "version", "java")
                .setLabelValues(version, Runtime.version().toString());
        JvmMemoryMetrics.builder().register(registry);
        JvmGarbageCollectorMetrics.builder().register(registry);
        JvmThreadsMetrics.builder().register(registry);
        ProcessMetrics.builder().register(registry);
    }

    /** Adds what is asked for at every reading; once. */
    public void watch(EngineState state) {
        StateMetrics.register(instruments, state);
    }

    public ExecutionObserver executions() {
        return executions;
    }

    public PoolObserver pool() {
        return pool;
    }

    public HttpMetrics http() {
        return http;
    }

    /** All series at one moment, in a format of Prometheus. */
    public record Exposition(String mediaType, byte[] body) {}

    /**
     * What there is now.
     *
     * @param accept header of who asks; the text format where it names none that there is
     */
    public Exposition expose(@Nullable String accept) {
        var writer = formats.findWriter(accept);
        var body = new ByteArrayOutputStream();
        try {
            writer.write(body, registry.scrape());
        } catch (IOException e) {
            throw new UncheckedIOException("memory can be written", e);
        }
        return new Exposition(writer.getContentType(), body.toByteArray());
    }
}
