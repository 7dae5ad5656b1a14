package io.hexr.sandbox.config;

import io.hexr.sandbox.config.EngineConfig.BackendChoice;
import io.hexr.sandbox.config.EngineConfig.LogFormat;
import io.hexr.sandbox.config.EngineConfig.LogLevel;
import io.hexr.sandbox.identity.AuthMode;
import io.hexr.sandbox.identity.TrustDomain;
import io.hexr.sandbox.identity.TrustedGateway;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The table of all variables: it drives the reading, the help text and the list in the README. */
public final class ConfigVariables {
    /** What a sandbox needs besides the program's memory: its kernel and the parked interpreter. */
    static final int SANDBOX_OVERHEAD_MB = 96;

    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;
    private static final List<Variable<?>> ALL = new ArrayList<>();

    static final Variable<ListenAddress> LISTEN_ADDRESS =
            variable("LISTEN_ADDRESS", ":8080", ValueKind.listenAddress(), "Where the engine listens.");
    static final Variable<Duration> MAX_EXECUTION_TIME = variable(
            "MAX_EXECUTION_TIME",
            "30s",
            ValueKind.duration(Duration.ofMillis(100), Duration.ofHours(1)),
            "Longest wall time of a program, and the default of `timeout`.");
    static final Variable<Integer> MAX_MEMORY_MB =
            variable("MAX_MEMORY_MB", "512", ValueKind.integer(16, 65_536), "Most memory a call may ask for, in MiB.");
    static final Variable<Integer> DEFAULT_MEMORY_MB = computed(
            "DEFAULT_MEMORY_MB",
            "256 or MAX_MEMORY_MB, the smaller",
            ValueKind.integer(16, 65_536),
            "Memory of a call that asks for none, in MiB.");
    static final Variable<Path> FIRECRACKER_BIN =
            variable("FIRECRACKER_BIN", "/usr/bin/firecracker", ValueKind.absolutePath(), "The Firecracker program.");

    static final Variable<BackendChoice> SANDBOX_BACKEND = variable(
            "SANDBOX_BACKEND",
            "auto",
            ValueKind.oneOf(BackendChoice.class),
            "What makes sandboxes; `auto` takes Firecracker where a guest really boots, else gVisor.");
    static final Variable<Boolean> REQUIRE_HARDWARE_ISOLATION = variable(
            "REQUIRE_HARDWARE_ISOLATION", "false", ValueKind.bool(), "Refuse to start without KVM and Firecracker.");
    static final Variable<Path> JAILER_BIN =
            variable("JAILER_BIN", "/usr/bin/jailer", ValueKind.absolutePath(), "Firecracker's jailer.");
    static final Variable<Path> GUEST_KERNEL = variable(
            "GUEST_KERNEL",
            "/usr/share/hexr-sandbox/kernel",
            ValueKind.absolutePath(),
            "Directory of Firecracker's guest kernel: `vmlinux`, `initramfs.cpio` and `manifest.json`.");
    static final Variable<String> GUEST_KERNEL_ARGS = computed(
            "GUEST_KERNEL_ARGS",
            "none",
            ValueKind.words(1_024),
            "Further arguments of that kernel; of two for the same thing the last counts.");
    static final Variable<Integer> JAIL_UID_BASE = variable(
            "JAIL_UID_BASE",
            "900000000",
            ValueKind.integer(1_000, 999_000_000),
            "First of the 20,000 user and group ids under which machines run; nobody else may use them.");
    static final Variable<Duration> KVM_PROBE_TIMEOUT = variable(
            "KVM_PROBE_TIMEOUT",
            "10s",
            ValueKind.duration(Duration.ofSeconds(1), Duration.ofMinutes(10)),
            "How long the guest may take to boot that shows that KVM works.");
    static final Variable<Path> RUNSC_BIN =
            variable("RUNSC_BIN", "/usr/bin/runsc", ValueKind.absolutePath(), "gVisor's program.");
    static final Variable<Path> LAUNCHER_BIN = variable(
            "LAUNCHER_BIN",
            "/usr/libexec/hexr-sandbox/sandbox-launch",
            ValueKind.absolutePath(),
            "The helper that starts a sandbox in its cgroup.");
    static final Variable<Path> GUEST_IMAGE = variable(
            "GUEST_IMAGE",
            "/usr/share/hexr-sandbox/image",
            ValueKind.absolutePath(),
            "Directory of the guest image: `root.erofs` and `manifest.json`.");
    static final Variable<Path> STATE_DIR = variable(
            "STATE_DIR",
            "/var/lib/hexr-sandbox",
            ValueKind.absolutePath(),
            "Directory for templates and running sandboxes; one engine only.");
    static final Variable<Integer> PYTHON_VARIANTS = variable(
            "PYTHON_VARIANTS",
            "8",
            ValueKind.integer(1, 64),
            "Templates of Python, each with its own secret of string hashes.");
    static final Variable<Duration> TEMPLATE_TIMEOUT = variable(
            "TEMPLATE_TIMEOUT",
            "2m",
            ValueKind.duration(Duration.ofSeconds(1), Duration.ofHours(1)),
            "How long making one template may take.");
    static final Variable<Duration> RESUME_TIMEOUT = variable(
            "RESUME_TIMEOUT",
            "10s",
            ValueKind.duration(Duration.ofMillis(100), Duration.ofMinutes(10)),
            "How long resuming one sandbox may take.");

    static final Variable<Integer> READY_POOL_MEMORY_MB = computed(
            "READY_POOL_MEMORY_MB",
            "an eighth of the machine's memory",
            ValueKind.integer(0, 1_048_576),
            "Memory in MiB that sandboxes waiting for calls may hold together, at most half of the machine's; 0: none waits.");
    static final Variable<Integer> READY_POOL_MIN = computed(
            "READY_POOL_MIN",
            "one a core, at most 8 or READY_POOL_MAX",
            ValueKind.integer(0, 10_000),
            "Sandboxes of each language that wait when nobody calls, as far as READY_POOL_MEMORY_MB holds them.");
    static final Variable<Integer> READY_POOL_MAX = computed(
            "READY_POOL_MAX",
            "eight a core",
            ValueKind.integer(0, 10_000),
            "Sandboxes of each language that wait at most: calls that find none waiting let the pool grow up to here.");
    static final Variable<Integer> READY_POOL_REFILLS = computed(
            "READY_POOL_REFILLS",
            "one for two cores",
            ValueKind.integer(1, 1_000),
            "Sandboxes that are made ready at the same time.");
    static final Variable<Duration> READY_POOL_MAX_AGE = variable(
            "READY_POOL_MAX_AGE",
            "10m",
            ValueKind.duration(Duration.ofSeconds(1), Duration.ofHours(24)),
            "How long a sandbox waits before it is replaced by a new one.");

    static final Variable<Integer> MAX_CONCURRENT = computed(
            "MAX_CONCURRENT",
            "from cores and memory",
            ValueKind.integer(1, 10_000),
            "Calls that run at once; by default two a core, as far as three quarters of the memory, less READY_POOL_MEMORY_MB, hold their sandboxes.");
    static final Variable<Integer> QUEUE_LENGTH = variable(
            "QUEUE_LENGTH", "256", ValueKind.integer(0, 100_000), "Calls that may wait for a sandbox; more get 503.");
    static final Variable<Duration> QUEUE_TIMEOUT = variable(
            "QUEUE_TIMEOUT",
            "30s",
            ValueKind.duration(Duration.ofMillis(1), Duration.ofHours(1)),
            "How long a call may wait; then it gets 503.");

    static final Variable<Double> CPUS =
            variable("CPUS", "1.0", ValueKind.decimal(0.1, 64), "Processors one sandbox may use.");
    static final Variable<Integer> MAX_PROCESSES = variable(
            "MAX_PROCESSES",
            "128",
            ValueKind.integer(16, 32_768),
            "Processes and threads of one program, its interpreter's own among them.");
    static final Variable<Integer> MAX_OPEN_FILES = variable(
            "MAX_OPEN_FILES", "1024", ValueKind.integer(32, 65_536), "Open files of each process of a program.");
    static final Variable<Integer> MAX_OUTPUT_BYTES = variable(
            "MAX_OUTPUT_BYTES",
            "1MiB",
            ValueKind.bytes(KIB, 64 * MIB),
            "What is kept of stdout, and as much of stderr.");
    static final Variable<Integer> WORKSPACE_MB = variable(
            "WORKSPACE_MB",
            "256",
            ValueKind.integer(1, 65_536),
            "Size of `/workspace` in MiB, never more than a quarter of the call's memory.");
    static final Variable<Integer> TMP_MB = variable(
            "TMP_MB",
            "128",
            ValueKind.integer(1, 65_536),
            "Size of `/tmp` in MiB, never more than an eighth of the call's memory.");
    static final Variable<Integer> SHM_MB = variable(
            "SHM_MB",
            "128",
            ValueKind.integer(1, 65_536),
            "Size of `/dev/shm` in MiB, never more than an eighth of the call's memory.");
    static final Variable<Integer> MAX_INODES = variable(
            "MAX_INODES",
            "16384",
            ValueKind.integer(64, 1_000_000),
            "Files and directories in each of the three, never more than 64 for each MiB of the call's memory.");
    static final Variable<Integer> MAX_ARTIFACTS =
            variable("MAX_ARTIFACTS", "32", ValueKind.integer(0, 10_000), "Files that may come back from one run.");
    static final Variable<Integer> MAX_ARTIFACT_BYTES = variable(
            "MAX_ARTIFACT_BYTES",
            "8MiB",
            ValueKind.bytes(0, 256 * MIB),
            "Size of all files that come back from one run.");

    static final Variable<Integer> MAX_REQUEST_BYTES = variable(
            "MAX_REQUEST_BYTES", "32MiB", ValueKind.bytes(KIB, 256 * MIB), "Largest body of a request; more gets 413.");
    static final Variable<Integer> MAX_CODE_BYTES = computed(
            "MAX_CODE_BYTES",
            "4MiB or MAX_REQUEST_BYTES, the smaller",
            ValueKind.bytes(KIB, 256 * MIB),
            "Largest `code`, counted in UTF-8.");
    static final Variable<Integer> MAX_INPUT_FILES =
            variable("MAX_INPUT_FILES", "1000", ValueKind.integer(0, 100_000), "Files one request may bring.");
    static final Variable<Integer> MAX_HEADER_BYTES = variable(
            "MAX_HEADER_BYTES",
            "16KiB",
            ValueKind.bytes(KIB, MIB),
            "Largest head of a request (request line and headers); more gets 431.");
    static final Variable<Integer> MAX_CONNECTIONS = variable(
            "MAX_CONNECTIONS",
            "1024",
            ValueKind.integer(1, 100_000),
            "Connections open at once; more wait until one closes.");
    static final Variable<Duration> IDLE_TIMEOUT = variable(
            "IDLE_TIMEOUT",
            "30s",
            ValueKind.duration(Duration.ofMillis(100), Duration.ofHours(1)),
            "How long a connection may stay without a complete request head, or take none of its answer.");
    static final Variable<Duration> REQUEST_TIMEOUT = variable(
            "REQUEST_TIMEOUT",
            "30s",
            ValueKind.duration(Duration.ofMillis(100), Duration.ofHours(1)),
            "How long the body of a request may take to arrive, and its answer to be taken.");

    static final Variable<Duration> STREAM_HEARTBEAT = variable(
            "STREAM_HEARTBEAT",
            "10s",
            ValueKind.duration(Duration.ofMillis(100), Duration.ofHours(1)),
            "After how much silence of a program its event stream says that it is still there.");
    static final Variable<Duration> MAX_CONNECTION_AGE = variable(
            "MAX_CONNECTION_AGE",
            "5m",
            ValueKind.duration(Duration.ofSeconds(1), Duration.ofDays(1)),
            "After which age a connection is closed with its next answer, so that certificates do not outlive themselves.");

    static final Variable<Boolean> PLAYGROUND = variable(
            "PLAYGROUND", "true", ValueKind.bool(), "Serve a page at `/` on which programs can be written and run.");
    static final Variable<List<String>> ALLOWED_ORIGINS = computed(
            "ALLOWED_ORIGINS",
            "none",
            ValueKind.list("the origin of a web page, such as http://sandbox.example.org:8080", ValueKind::origin),
            "Web pages that may have code run, besides those of this machine and the engine's own by address, https or a name without a dot.");

    static final Variable<AuthMode> AUTH_MODE = variable(
            "AUTH_MODE",
            "none",
            ValueKind.oneOf(AuthMode.class),
            "How callers are known: not at all, by the header of a trusted gateway, or by their own X.509-SVIDs.");
    static final Variable<List<TrustDomain>> TRUST_DOMAINS = computed(
            "TRUST_DOMAINS",
            "none",
            ValueKind.list(TrustDomain.LEGAL, TrustDomain::parse),
            "Whose callers and gateways are accepted; needed unless `AUTH_MODE` is `none`.");
    static final Variable<List<TrustedGateway>> TRUSTED_GATEWAYS = computed(
            "TRUSTED_GATEWAYS",
            "none",
            ValueKind.list(TrustedGateway.LEGAL, TrustedGateway::parse),
            "Whose `x-forwarded-client-cert` is believed; needed when `AUTH_MODE` is `xfcc`.");
    static final Variable<Path> SPIFFE_ENDPOINT_SOCKET = computed(
            "SPIFFE_ENDPOINT_SOCKET",
            "none",
            ValueKind.endpointSocket(),
            "The Workload API, from which the engine's own SVID and the trust bundles come.");
    static final Variable<Path> TLS_CERT_FILE = computed(
            "TLS_CERT_FILE",
            "none",
            ValueKind.absolutePath(),
            "The engine's certificate and its intermediates in PEM, instead of the Workload API; followed when it changes.");
    static final Variable<Path> TLS_KEY_FILE =
            computed("TLS_KEY_FILE", "none", ValueKind.absolutePath(), "Its key: PKCS #8 in PEM, unencrypted.");
    static final Variable<Path> TLS_BUNDLE_FILE = computed(
            "TLS_BUNDLE_FILE",
            "none",
            ValueKind.absolutePath(),
            "The authorities of the one trust domain in `TRUST_DOMAINS`, in PEM.");
    static final Variable<Path> POLICY_FILE = computed(
            "POLICY_FILE",
            "none",
            ValueKind.absolutePath(),
            "What each caller may, in YAML, followed when it changes; without it every authenticated caller may all.");
    static final Variable<Path> AUDIT_FILE = computed(
            "AUDIT_FILE",
            "none",
            ValueKind.absolutePath(),
            "Where a record of every call is appended, in JSON lines; without it none is kept.");
    static final Variable<Integer> AUDIT_MAX_BYTES = variable(
            "AUDIT_MAX_BYTES",
            "64MiB",
            ValueKind.bytes(MIB, 1_024 * MIB - 1),
            "Size at which the audit file is renamed and a new one begun; none is ever removed.");
    static final Variable<Boolean> AUDIT_CODE = variable(
            "AUDIT_CODE", "false", ValueKind.bool(), "Keep the code of calls in their records, too, besides its hash.");

    static final Variable<ListenAddress> METRICS_LISTEN_ADDRESS = computed(
            "METRICS_LISTEN_ADDRESS",
            "none",
            ValueKind.listenAddress(),
            "Where `/metrics` is read without authentication and TLS; by default it is on `LISTEN_ADDRESS`, for callers that are let in.");
    static final Variable<Duration> SHUTDOWN_TIMEOUT = computed(
            "SHUTDOWN_TIMEOUT",
            "MAX_EXECUTION_TIME and 5s",
            ValueKind.duration(Duration.ZERO, Duration.ofHours(2)),
            "How long running calls may go on after SIGTERM.");
    static final Variable<LogLevel> LOG_LEVEL =
            variable("LOG_LEVEL", "info", ValueKind.oneOf(LogLevel.class), "How much is logged.");
    static final Variable<LogFormat> LOG_FORMAT =
            variable("LOG_FORMAT", "text", ValueKind.oneOf(LogFormat.class), "How it is logged.");

    private ConfigVariables() {}

    private static <T> Variable<T> variable(String name, String defaultText, ValueKind<T> kind, String meaning) {
        return register(Variable.fixed(name, defaultText, kind, meaning));
    }

    private static <T> Variable<T> computed(String name, String how, ValueKind<T> kind, String meaning) {
        return register(Variable.computed(name, how, kind, meaning));
    }

    private static <T> Variable<T> register(Variable<T> variable) {
        ALL.add(variable);
        return variable;
    }

    static List<Variable<?>> all() {
        return Stream.concat(ALL.stream(), TracingVariables.ALL.stream()).toList();
    }

    /** The list of the README. */
    public static String markdownTable() {
        return all().stream()
                .map(v -> "| `%s` | %s | %s | %s |\n"
                        .formatted(
                                v.name(),
                                v.computed() ? v.defaultText() : "`" + v.defaultText() + "`",
                                v.meaning(),
                                v.kind().legal()))
                .collect(Collectors.joining("", "| variable | default | meaning | legal |\n|---|---|---|---|\n", ""));
    }

    /** The list of {@code --help}. */
    public static String helpText() {
        return all().stream()
                .map(v -> "  %s (%s)\n%s%s"
                        .formatted(
                                v.name(),
                                v.defaultText(),
                                indented(v.meaning().replace("`", "")),
                                indented("Legal: " + v.kind().legal() + ".")))
                .collect(Collectors.joining());
    }

    /** Lines that fit a terminal of 80 columns: picocli would break longer ones, and go on at the margin. */
    private static String indented(String text) {
        return text.replaceAll("(.{1,73})(?: |$)", "      $1\n");
    }
}
