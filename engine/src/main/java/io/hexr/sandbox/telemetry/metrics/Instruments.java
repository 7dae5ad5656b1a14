package io.hexr.sandbox.telemetry.metrics;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/** Makes the metrics of one registry; all of them alike. */
record Instruments(PrometheusRegistry registry) {
    /** From a call that finds everything ready to one that runs as long as it may by default, in seconds. */
    private static final double[] LATENCIES = {
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60
    };

    /** Of what waits for minutes, in seconds. */
    private static final double[] AGES = {1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600};

    Counter counter(String name, String help, String... labels) {
        return Counter.builder()
                .name(name)
                .help(help)
                .labelNames(labels)
                .withoutExemplars()
                .register(registry);
    }

    Histogram latency(String name, String help, String... labels) {
        return histogram(name, help, LATENCIES, labels);
    }

    Histogram age(String name, String help, String... labels) {
        return histogram(name, help, AGES, labels);
    }

    /** Buckets only: a native histogram beside them would be seen by few and cost as much again. */
    private Histogram histogram(String name, String help, double[] bounds, String... labels) {
        return Histogram.builder()
                .name(name)
                .help(help)
                .labelNames(labels)
                .classicOnly()
                .classicUpperBounds(bounds)
                .withoutExemplars()
                .register(registry);
    }

    void gauge(String name, String help, DoubleSupplier value) {
        gauges(name, help, callback -> callback.call(value.getAsDouble()));
    }

    /** Values that are asked for when somebody reads; the callback may leave some out. */
    void gauges(String name, String help, Consumer<GaugeWithCallback.Callback> values, String... labels) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames(labels)
                .callback(values)
                .register(registry);
    }

    void counters(String name, String help, Consumer<CounterWithCallback.Callback> values, String... labels) {
        CounterWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames(labels)
                .callback(values)
                .register(registry);
    }

    Info info(String name, String help, String... labels) {
        return Info.builder().name(name).help(help).labelNames(labels).register(registry);
    }
}
