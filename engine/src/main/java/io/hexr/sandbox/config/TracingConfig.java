package io.hexr.sandbox.config;

import static io.hexr.sandbox.config.TracingVariables.*;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Where traces go and what is in them.
 *
 * @param endpoint the whole URL
 * @param headers for each request to it; secret
 * @param certificate authorities of the collector; empty for those of Java
 * @param timeout of one export, further tries included
 * @param ratio share of calls that {@link Sampler#TRACEIDRATIO} and its parent-based form take
 * @param queue spans that may wait or be under way
 * @param delay how long spans wait for others
 */
public record TracingConfig(
        URI endpoint,
        Map<String, String> headers,
        Optional<Path> certificate,
        Duration timeout,
        String serviceName,
        Map<String, String> resource,
        Sampler sampler,
        double ratio,
        int queue,
        Duration delay) {

    static final String PROTOCOL = "http/protobuf";

    private static final String DEFAULT_SERVICE_NAME = "sandbox-engine";

    /** Which calls leave spans, in OpenTelemetry's words. */
    public enum Sampler {
        ALWAYS_ON,
        ALWAYS_OFF,
        TRACEIDRATIO,
        PARENTBASED_ALWAYS_ON,
        PARENTBASED_ALWAYS_OFF,
        PARENTBASED_TRACEIDRATIO
    }

    /** Every variable is checked, also when none of them has an effect: one that is wrong was meant to have one. */
    static Optional<TracingConfig> read(EnvironmentReader reader) {
        var endpoint = endpoint(reader);
        reader.read(TracingVariables.PROTOCOL);
        var resource = reader.readOptional(RESOURCE_ATTRIBUTES).orElse(Map.of());
        String name = resource.getOrDefault("service.name", DEFAULT_SERVICE_NAME);
        var headers = reader.readOptional(HEADERS).orElse(Map.of());
        var certificate = reader.readOptional(CERTIFICATE);
        var timeout = Duration.ofMillis(reader.read(TIMEOUT));
        String serviceName = reader.read(SERVICE_NAME, name);
        var sampler = reader.read(SAMPLER);
        double ratio = reader.read(SAMPLER_ARG);
        int queue = reader.read(MAX_QUEUE_SIZE);
        var delay = Duration.ofMillis(reader.read(SCHEDULE_DELAY));
        boolean disabled = reader.read(DISABLED);
        return endpoint.filter(_ -> !disabled)
                .map(url -> new TracingConfig(
                        url, headers, certificate, timeout, serviceName, resource, sampler, ratio, queue, delay));
    }

    private static Optional<URI> endpoint(EnvironmentReader reader) {
        var base = reader.readOptional(ENDPOINT)
                .map(uri -> URI.create(uri.toString().replaceFirst("/*$", "") + "/v1/traces"));
        return reader.readOptional(TRACES_ENDPOINT).or(() -> base);
    }
}
