package io.hexr.sandbox.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hexr.sandbox.config.TracingConfig.Sampler;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** That every variable reaches its place {@link EngineConfigTest} shows. */
class TracingConfigTest {
    private static final String ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";

    private static Optional<TracingConfig> load(Map<String, String> variables) throws ConfigException {
        return EngineConfig.load(variables, new Machine(2, 4L << 30)).tracing();
    }

    @Test
    void withoutAnEndpointThereAreNoTraces() throws ConfigException {
        assertThat(load(Map.of())).isEmpty();
        assertThat(load(Map.of("OTEL_SERVICE_NAME", "x", "OTEL_TRACES_SAMPLER", "always_on")))
                .isEmpty();
    }

    @Test
    void aPlatformMayTurnThemOff() throws ConfigException {
        assertThat(load(Map.of(ENDPOINT, "http://collector:4318", "OTEL_SDK_DISABLED", "true")))
                .isEmpty();
    }

    @Test
    void theDefaultsAreThoseOfOpenTelemetry() throws ConfigException {
        assertThat(load(Map.of(ENDPOINT, "http://collector:4318")))
                .contains(new TracingConfig(
                        URI.create("http://collector:4318/v1/traces"),
                        Map.of(),
                        Optional.empty(),
                        Duration.ofSeconds(10),
                        "sandbox-engine",
                        Map.of(),
                        Sampler.PARENTBASED_ALWAYS_ON,
                        1.0,
                        2_048,
                        Duration.ofSeconds(5)));
    }

    @ParameterizedTest
    @CsvSource({"http://c:4318/, http://c:4318/v1/traces", "http://c/base, http://c/base/v1/traces"})
    void thePathIsAppendedToWhateverTheEndpointHas(String endpoint, String expected) throws ConfigException {
        assertThat(load(Map.of(ENDPOINT, endpoint)).orElseThrow().endpoint()).isEqualTo(URI.create(expected));
    }

    @Test
    void theServiceNameMayStandAmongTheAttributes() throws ConfigException {
        assertThat(load(Map.of(ENDPOINT, "http://c", "OTEL_RESOURCE_ATTRIBUTES", "service.name=other"))
                        .orElseThrow()
                        .serviceName())
                .isEqualTo("other");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "OTEL_EXPORTER_OTLP_ENDPOINT        | collector:4318",
                "OTEL_EXPORTER_OTLP_ENDPOINT        | ftp://collector",
                "OTEL_EXPORTER_OTLP_ENDPOINT        | http://user:secret@collector",
                "OTEL_EXPORTER_OTLP_ENDPOINT        | http://collector?a=b",
                "OTEL_EXPORTER_OTLP_ENDPOINT        | http:///path",
                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT | http://[",
                "OTEL_EXPORTER_OTLP_PROTOCOL        | grpc",
                "OTEL_EXPORTER_OTLP_HEADERS         | no-value",
                "OTEL_EXPORTER_OTLP_HEADERS         | a b=c",
                "OTEL_EXPORTER_OTLP_HEADERS         | a=b%0d%0ac: d",
                "OTEL_EXPORTER_OTLP_HEADERS         | a=%zz",
                "OTEL_EXPORTER_OTLP_HEADERS         | =c",
                "OTEL_EXPORTER_OTLP_CERTIFICATE     | ca.pem",
                "OTEL_EXPORTER_OTLP_TIMEOUT         | 10s",
                "OTEL_RESOURCE_ATTRIBUTES           | a",
                "OTEL_TRACES_SAMPLER                | sometimes",
                "OTEL_TRACES_SAMPLER_ARG            | 1.5",
                "OTEL_BSP_MAX_QUEUE_SIZE            | 0",
                "OTEL_BSP_SCHEDULE_DELAY            | never",
                "OTEL_SDK_DISABLED                  | yes"
            })
    void aValueThatIsNotLegalIsRefusedAlsoWhenTracesAreOff(String variable, String value) {
        var variables = new HashMap<>(Map.of("OTEL_SDK_DISABLED", "true"));
        variables.put(variable, value);
        var failure = catchThrowableOfType(ConfigException.class, () -> load(variables));

        assertThat(failure).as("%s=%s", variable, value).isNotNull();
        assertThat(failure.problems())
                .extracting(ConfigException.Problem::variable)
                .containsExactly(variable);
    }

    @Test
    void whatIsSecretIsNotShown() {
        var failure = catchThrowableOfType(
                ConfigException.class, () -> load(Map.of("OTEL_EXPORTER_OTLP_HEADERS", "authorization Bearer s3cret")));

        assertThat(failure).hasMessageContaining("OTEL_EXPORTER_OTLP_HEADERS").hasMessageNotContaining("s3cret");
    }
}
