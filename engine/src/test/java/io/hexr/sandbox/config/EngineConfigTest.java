package io.hexr.sandbox.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hexr.sandbox.config.EngineConfig.BackendChoice;
import io.hexr.sandbox.config.EngineConfig.LogFormat;
import io.hexr.sandbox.config.EngineConfig.LogLevel;
import io.hexr.sandbox.identity.AuthMode;
import io.hexr.sandbox.identity.TrustDomain;
import io.hexr.sandbox.identity.TrustedGateway;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EngineConfigTest {
    private static final Machine MACHINE = new Machine(4, 8L << 30);

    private static EngineConfig load(String... pairs) throws ConfigException {
        return EngineConfig.load(environment(pairs), MACHINE);
    }

    private static ConfigException failure(String... pairs) {
        return catchThrowableOfType(ConfigException.class, () -> load(pairs));
    }

    private static Map<String, String> environment(String... pairs) {
        var environment = new HashMap<String, String>();
        for (int i = 0; i < pairs.length; i += 2) {
            environment.put(pairs[i], pairs[i + 1]);
        }
        return environment;
    }

    @Test
    void everyDefaultIsTheDocumentedOne() throws ConfigException {
        assertThat(load())
                .isEqualTo(new EngineConfig(
                        new EngineConfig.Http(
                                new ListenAddress.Tcp(null, 8080),
                                16 * 1024,
                                1024,
                                Duration.ofSeconds(30),
                                Duration.ofSeconds(30),
                                Duration.ofSeconds(10),
                                Duration.ofMinutes(5),
                                true,
                                List.of()),
                        new EngineConfig.Requests(32 << 20, 4 << 20, 1000, Duration.ofSeconds(30), 256, 512),
                        new EngineConfig.Sandboxes(1.0, 128, 1024, 1 << 20, 256, 128, 128, 16_384, 32, 8 << 20),
                        new EngineConfig.Admission(8, 256, Duration.ofSeconds(30)),
                        new EngineConfig.ReadyPool(1024, 4, 32, 2, Duration.ofMinutes(10)),
                        new EngineConfig.Backend(
                                BackendChoice.AUTO,
                                false,
                                new EngineConfig.Firecracker(
                                        Path.of("/usr/bin/firecracker"),
                                        Path.of("/usr/bin/jailer"),
                                        Path.of("/usr/share/hexr-sandbox/kernel"),
                                        "",
                                        900_000_000,
                                        Duration.ofSeconds(10)),
                                Path.of("/usr/bin/runsc"),
                                Path.of("/usr/libexec/hexr-sandbox/sandbox-launch"),
                                Path.of("/usr/share/hexr-sandbox/image"),
                                Path.of("/var/lib/hexr-sandbox"),
                                8,
                                Duration.ofMinutes(2),
                                Duration.ofSeconds(10)),
                        new IdentityConfig(AuthMode.NONE, List.of(), List.of(), Optional.empty(), Optional.empty()),
                        new EngineConfig.Audit(Optional.empty(), 64 << 20, false),
                        Optional.empty(),
                        Optional.empty(),
                        new EngineConfig.Log(LogLevel.INFO, LogFormat.TEXT),
                        Duration.ofSeconds(35)));
    }

    /** Every value differs from its default and from its neighbours, so a value that lands in the wrong place shows. */
    @Test
    void everyVariableReachesItsPlace() throws ConfigException {
        var environment = environment(
                "LISTEN_ADDRESS", "127.0.0.1:9000",
                "MAX_HEADER_BYTES", "8KiB",
                "MAX_CONNECTIONS", "77",
                "IDLE_TIMEOUT", "11s",
                "REQUEST_TIMEOUT", "12s",
                "STREAM_HEARTBEAT", "9s",
                "MAX_CONNECTION_AGE", "18s",
                "PLAYGROUND", "false",
                "ALLOWED_ORIGINS", "http://a.test:8080, https://b.test",
                "AUTH_MODE", "xfcc",
                "TRUST_DOMAINS", "example.org",
                "TRUSTED_GATEWAYS", "10.0.0.0/8",
                "SPIFFE_ENDPOINT_SOCKET", "unix:///a/agent",
                "TLS_CERT_FILE", "/a/cert",
                "TLS_KEY_FILE", "/a/key",
                "TLS_BUNDLE_FILE", "/a/bundle",
                "POLICY_FILE", "/a/policy",
                "AUDIT_FILE", "/a/audit",
                "AUDIT_MAX_BYTES", "7MiB",
                "AUDIT_CODE", "true",
                "MAX_REQUEST_BYTES", "3MiB",
                "MAX_CODE_BYTES", "2MiB",
                "MAX_INPUT_FILES", "5",
                "MAX_EXECUTION_TIME", "13s",
                "DEFAULT_MEMORY_MB", "100",
                "MAX_MEMORY_MB", "200",
                "CPUS", "0.5",
                "MAX_PROCESSES", "99",
                "MAX_OPEN_FILES", "98",
                "MAX_OUTPUT_BYTES", "4096",
                "WORKSPACE_MB", "31",
                "TMP_MB", "32",
                "SHM_MB", "33",
                "MAX_INODES", "334",
                "MAX_ARTIFACTS", "6",
                "MAX_ARTIFACT_BYTES", "5MiB",
                "MAX_CONCURRENT", "21",
                "QUEUE_LENGTH", "22",
                "QUEUE_TIMEOUT", "14s",
                "READY_POOL_MEMORY_MB", "901",
                "READY_POOL_MIN", "23",
                "READY_POOL_MAX", "24",
                "READY_POOL_REFILLS", "25",
                "READY_POOL_MAX_AGE", "18s",
                "SANDBOX_BACKEND", "firecracker",
                "REQUIRE_HARDWARE_ISOLATION", "true",
                "FIRECRACKER_BIN", "/a/firecracker",
                "JAILER_BIN", "/a/jailer",
                "GUEST_KERNEL", "/a/kernel",
                "GUEST_KERNEL_ARGS", "a=b quiet",
                "JAIL_UID_BASE", "7000",
                "KVM_PROBE_TIMEOUT", "18s",
                "RUNSC_BIN", "/a/runsc",
                "LAUNCHER_BIN", "/a/launch",
                "GUEST_IMAGE", "/a/image",
                "STATE_DIR", "/a/state",
                "PYTHON_VARIANTS", "3",
                "TEMPLATE_TIMEOUT", "15s",
                "RESUME_TIMEOUT", "16s",
                "OTEL_EXPORTER_OTLP_ENDPOINT", "http://other",
                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://collector/in",
                "OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf",
                "OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20a+b, x-y=1",
                "OTEL_EXPORTER_OTLP_CERTIFICATE", "/a/collector",
                "OTEL_EXPORTER_OTLP_TIMEOUT", "2000",
                "OTEL_SERVICE_NAME", "engine",
                "OTEL_RESOURCE_ATTRIBUTES", "service.name=other,a=%C3%A9",
                "OTEL_TRACES_SAMPLER", "parentbased_traceidratio",
                "OTEL_TRACES_SAMPLER_ARG", "0.25",
                "OTEL_BSP_MAX_QUEUE_SIZE", "7",
                "OTEL_BSP_SCHEDULE_DELAY", "20",
                "OTEL_SDK_DISABLED", "false",
                "LOG_LEVEL", "debug",
                "LOG_FORMAT", "json",
                "METRICS_LISTEN_ADDRESS", "127.0.0.1:9001",
                "SHUTDOWN_TIMEOUT", "17s");

        assertThat(environment.keySet())
                .as("every variable is tried here")
                .containsExactlyInAnyOrderElementsOf(
                        ConfigVariables.all().stream().map(Variable::name).toList());
        assertThat(EngineConfig.load(environment, MACHINE))
                .isEqualTo(new EngineConfig(
                        new EngineConfig.Http(
                                new ListenAddress.Tcp("127.0.0.1", 9000),
                                8192,
                                77,
                                Duration.ofSeconds(11),
                                Duration.ofSeconds(12),
                                Duration.ofSeconds(9),
                                Duration.ofSeconds(18),
                                false,
                                List.of("http://a.test:8080", "https://b.test")),
                        new EngineConfig.Requests(3 << 20, 2 << 20, 5, Duration.ofSeconds(13), 100, 200),
                        new EngineConfig.Sandboxes(0.5, 99, 98, 4096, 31, 32, 33, 334, 6, 5 << 20),
                        new EngineConfig.Admission(21, 22, Duration.ofSeconds(14)),
                        new EngineConfig.ReadyPool(901, 23, 24, 25, Duration.ofSeconds(18)),
                        new EngineConfig.Backend(
                                BackendChoice.FIRECRACKER,
                                true,
                                new EngineConfig.Firecracker(
                                        Path.of("/a/firecracker"),
                                        Path.of("/a/jailer"),
                                        Path.of("/a/kernel"),
                                        "a=b quiet",
                                        7000,
                                        Duration.ofSeconds(18)),
                                Path.of("/a/runsc"),
                                Path.of("/a/launch"),
                                Path.of("/a/image"),
                                Path.of("/a/state"),
                                3,
                                Duration.ofSeconds(15),
                                Duration.ofSeconds(16)),
                        new IdentityConfig(
                                AuthMode.XFCC,
                                List.of(new TrustDomain("example.org")),
                                List.of(TrustedGateway.parse("10.0.0.0/8").orElseThrow()),
                                Optional.of(new IdentityConfig.SvidOrigin.Files(
                                        Path.of("/a/cert"), Path.of("/a/key"), Path.of("/a/bundle"))),
                                Optional.of(Path.of("/a/policy"))),
                        new EngineConfig.Audit(Optional.of(Path.of("/a/audit")), 7 << 20, true),
                        Optional.of(new ListenAddress.Tcp("127.0.0.1", 9001)),
                        Optional.of(new TracingConfig(
                                URI.create("https://collector/in"),
                                Map.of("authorization", "Bearer a+b", "x-y", "1"),
                                Optional.of(Path.of("/a/collector")),
                                Duration.ofMillis(2_000),
                                "engine",
                                Map.of("service.name", "other", "a", "é"),
                                TracingConfig.Sampler.PARENTBASED_TRACEIDRATIO,
                                0.25,
                                7,
                                Duration.ofMillis(20))),
                        new EngineConfig.Log(LogLevel.DEBUG, LogFormat.JSON),
                        Duration.ofSeconds(17)));
    }

    @Test
    void allErrorsAreReportedAtOnceWithValueAndLegalValues() {
        var failure = failure(
                "MAX_MEMORY_MB", "lots", "MAX_EXECUTION_TIME", "-1s", "LISTEN_ADDRESS", "8080", "LOG_FORMAT", "xml");

        assertThat(failure.problems())
                .containsExactlyInAnyOrder(
                        new ConfigException.Problem("MAX_MEMORY_MB", "lots", "an integer from 16 to 65536"),
                        new ConfigException.Problem(
                                "MAX_EXECUTION_TIME",
                                "-1s",
                                "a duration from 100ms to 1h, such as 500ms, 30s, 1m30s or plain seconds"),
                        new ConfigException.Problem(
                                "LISTEN_ADDRESS",
                                "8080",
                                "[host]:port with a port from 0 to 65535 (0: any free one), such as :8080, 127.0.0.1:8080 or [::1]:8080, or unix:/path"),
                        new ConfigException.Problem("LOG_FORMAT", "xml", "text, json"));
        assertThat(failure)
                .hasMessageContaining("MAX_MEMORY_MB=lots: must be an integer from 16 to 65536")
                .hasMessageContaining("LOG_FORMAT=xml: must be text, json");
    }

    @Test
    void metricsCannotHaveTheAddressOfTheCalls() {
        assertThat(failure("METRICS_LISTEN_ADDRESS", ":8080")).hasMessageContaining("another one than LISTEN_ADDRESS");
    }

    @Test
    void aVariableThatIsEmptyCountsAsNotSet() throws ConfigException {
        assertThat(load("MAX_MEMORY_MB", "", "LOG_LEVEL", " ")).isEqualTo(load());
    }

    @Test
    void theDefaultMemoryFollowsASmallerMaximum() throws ConfigException {
        assertThat(load("MAX_MEMORY_MB", "128").requests().defaultMemoryMb()).isEqualTo(128);
        assertThat(load("MAX_MEMORY_MB", "1024").requests().defaultMemoryMb()).isEqualTo(256);
    }

    @Test
    void theShutdownTimeoutFollowsTheExecutionTime() throws ConfigException {
        assertThat(load("MAX_EXECUTION_TIME", "2m").shutdownTimeout()).isEqualTo(Duration.ofSeconds(125));
    }

    @Test
    void aDefaultAboveItsMaximumIsAnError() {
        assertThat(failure("MAX_MEMORY_MB", "128", "DEFAULT_MEMORY_MB", "256").problems())
                .containsExactly(
                        new ConfigException.Problem("DEFAULT_MEMORY_MB", "256", "at most MAX_MEMORY_MB, which is 128"));
    }

    @Test
    void codeThatCannotFitABodyIsAnError() {
        assertThat(failure("MAX_REQUEST_BYTES", "1MiB", "MAX_CODE_BYTES", "2MiB")
                        .problems())
                .extracting(ConfigException.Problem::variable)
                .containsExactly("MAX_CODE_BYTES");
    }

    @Test
    void hardwareIsolationCannotBeRequiredOfGvisor() {
        assertThat(failure("REQUIRE_HARDWARE_ISOLATION", "true", "SANDBOX_BACKEND", "gvisor")
                        .problems())
                .extracting(ConfigException.Problem::variable)
                .containsExactly("SANDBOX_BACKEND");
    }

    @Test
    void aHugeValueIsShownCutShort() {
        assertThat(failure("MAX_MEMORY_MB", "9".repeat(10_000)).getMessage()).hasSizeLessThan(300);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 64, 2", // cores decide
        "64, 64, 67", // memory decides: 48 GiB less the 8 GiB of those that wait hold 67 sandboxes of 608 MiB
        "2, 1, 1", // hardly any memory: one, not none
    })
    void concurrencyComesFromCoresAndMemory(int cores, long gib, int expected) throws ConfigException {
        var config = EngineConfig.load(Map.of(), new Machine(cores, gib << 30));

        assertThat(config.admission().maxConcurrent()).isEqualTo(expected);
    }

    @Test
    void whatWaitsIsTakenOffTheMemoryOfWhatRuns() throws ConfigException {
        var machine = new Machine(64, 64L << 30);
        assertThat(EngineConfig.load(environment("READY_POOL_MEMORY_MB", "0"), machine)
                        .admission()
                        .maxConcurrent())
                .isEqualTo(80);
        assertThat(EngineConfig.load(environment("READY_POOL_MEMORY_MB", "32768"), machine)
                        .admission()
                        .maxConcurrent())
                .isEqualTo(26);
    }

    @Test
    void aPoolThatWouldTakeMostOfTheMachineIsAnError() {
        assertThat(failure("READY_POOL_MEMORY_MB", "4097").problems())
                .containsExactly(new ConfigException.Problem(
                        "READY_POOL_MEMORY_MB", "4097", "at most half of this machine's memory, which is 4096"));
    }

    @Test
    void aLeastAboveTheMostIsAnErrorAndFollowsASmallerMost() throws ConfigException {
        assertThat(failure("READY_POOL_MIN", "5", "READY_POOL_MAX", "4").problems())
                .containsExactly(
                        new ConfigException.Problem("READY_POOL_MIN", "5", "at most READY_POOL_MAX, which is 4"));
        assertThat(load("READY_POOL_MAX", "1").readyPool().min()).isEqualTo(1);
    }

    @Test
    void writableSpaceHoldsAtMostHalfOfTheMemoryOfTheCall() throws ConfigException {
        var sandboxes = load("WORKSPACE_MB", "60000", "TMP_MB", "60000", "SHM_MB", "60000")
                .sandboxes();

        for (int memoryMb : new int[] {16, 64, 256, 512, 65_536}) {
            var space = sandboxes.spaceFor(memoryMb);
            assertThat(space.workspaceBytes() + space.tmpBytes() + space.shmBytes())
                    .isLessThanOrEqualTo((long) memoryMb << 19);
        }
        assertThat(sandboxes.spaceFor(16)).isEqualTo(new WritableSpace(4 << 20, 2 << 20, 2 << 20, 1024));
        assertThat(load("WORKSPACE_MB", "10").sandboxes().spaceFor(512).workspaceBytes())
                .isEqualTo(10 << 20);
    }

    @Test
    void theMachineIsKnown() {
        assertThat(Machine.current().cores()).isPositive();
        assertThat(Machine.current().memoryBytes()).isGreaterThan(64L << 20);
    }
}
