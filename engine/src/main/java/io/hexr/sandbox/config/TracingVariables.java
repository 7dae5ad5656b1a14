package io.hexr.sandbox.config;

import io.hexr.sandbox.config.TracingConfig.Sampler;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The variables of traces: names and meaning are OpenTelemetry's (its specification, "Environment Variable Specification" and "OpenTelemetry Protocol
 * Exporter"), so that what a platform sets for all its services works here too. A part of the table in {@link ConfigVariables}.
 */
final class TracingVariables {
    /** RFC 9110, sections 5.1 and 5.5. */
    private static final Pattern HEADER_NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    private static final Pattern HEADER_VALUE = Pattern.compile("[\\x20-\\x7e]*");

    static final Variable<URI> ENDPOINT = Variable.computed(
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            "none",
            ValueKind.httpUrl(),
            "Collector to which traces are sent, below it at `/v1/traces`; none are made without it or the next one.");
    static final Variable<URI> TRACES_ENDPOINT = Variable.computed(
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
            "none",
            ValueKind.httpUrl(),
            "The same as a whole URL, which goes before.");
    static final Variable<String> PROTOCOL = Variable.fixed(
            "OTEL_EXPORTER_OTLP_PROTOCOL",
            TracingConfig.PROTOCOL,
            new ValueKind<>(TracingConfig.PROTOCOL, text -> Optional.of(text).filter(TracingConfig.PROTOCOL::equals)),
            "How they are sent; there is no other way.");
    static final Variable<Map<String, String>> HEADERS = Variable.secret(
            "OTEL_EXPORTER_OTLP_HEADERS",
            ValueKind.pairs(
                    "of a header, percent-encoded, such as authorization=Bearer%20token",
                    pair -> HEADER_NAME.matcher(pair.getKey()).matches()
                            && HEADER_VALUE.matcher(pair.getValue()).matches()),
            "Headers for the collector, such as a token; never logged.");
    static final Variable<Path> CERTIFICATE = Variable.computed(
            "OTEL_EXPORTER_OTLP_CERTIFICATE",
            "the authorities of Java",
            ValueKind.absolutePath(),
            "Authorities of an https collector, in PEM.");
    static final Variable<Integer> TIMEOUT = Variable.fixed(
            "OTEL_EXPORTER_OTLP_TIMEOUT",
            "10000",
            ValueKind.integer(100, 60_000),
            "How long the collector may take, further tries included, in ms; then those spans are lost.");
    static final Variable<String> SERVICE_NAME = Variable.computed(
            "OTEL_SERVICE_NAME",
            "`service.name` of the next one, else `sandbox-engine`",
            ValueKind.words(255),
            "Name of this engine in traces.");
    static final Variable<Map<String, String>> RESOURCE_ATTRIBUTES = Variable.computed(
            "OTEL_RESOURCE_ATTRIBUTES",
            "none",
            ValueKind.pairs("percent-encoded, such as deployment.environment.name=staging", pair -> true),
            "What else all spans of this engine say.");
    static final Variable<Sampler> SAMPLER = Variable.fixed(
            "OTEL_TRACES_SAMPLER",
            "parentbased_always_on",
            ValueKind.oneOf(Sampler.class),
            "Which calls leave spans; `parentbased`: as the caller's `traceparent` says, the rest only without one.");
    static final Variable<Double> SAMPLER_ARG = Variable.fixed(
            "OTEL_TRACES_SAMPLER_ARG", "1.0", ValueKind.decimal(0, 1), "Share of calls of the two `traceidratio`.");
    static final Variable<Integer> MAX_QUEUE_SIZE = Variable.fixed(
            "OTEL_BSP_MAX_QUEUE_SIZE",
            "2048",
            ValueKind.integer(1, 1_000_000),
            "Spans that may wait for the collector; more are dropped and counted.");
    static final Variable<Integer> SCHEDULE_DELAY = Variable.fixed(
            "OTEL_BSP_SCHEDULE_DELAY",
            "5000",
            ValueKind.integer(10, 3_600_000),
            "How long spans wait for others before they are sent, in ms.");
    static final Variable<Boolean> DISABLED =
            Variable.fixed("OTEL_SDK_DISABLED", "false", ValueKind.bool(), "No traces, whatever the others say.");

    static final List<Variable<?>> ALL = List.of(
            ENDPOINT,
            TRACES_ENDPOINT,
            PROTOCOL,
            HEADERS,
            CERTIFICATE,
            TIMEOUT,
            SERVICE_NAME,
            RESOURCE_ATTRIBUTES,
            SAMPLER,
            SAMPLER_ARG,
            MAX_QUEUE_SIZE,
            SCHEDULE_DELAY,
            DISABLED);

    private TracingVariables() {}
}
