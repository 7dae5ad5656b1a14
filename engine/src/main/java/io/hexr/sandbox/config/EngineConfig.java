package io.hexr.sandbox.config;

import static io.hexr.sandbox.config.ConfigVariables.*;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The whole configuration, checked. Made once at the start; nothing else reads the environment.
 *
 * @param metricsAddress where metrics are read; empty when that is where calls come in
 * @param tracing empty when no traces are made
 */
public record EngineConfig(
        Http http,
        Requests requests,
        Sandboxes sandboxes,
        Admission admission,
        ReadyPool readyPool,
        Backend backend,
        IdentityConfig identity,
        Audit audit,
        Optional<ListenAddress> metricsAddress,
        Optional<TracingConfig> tracing,
        Log log,
        Duration shutdownTimeout) {

    private static final long MIB = 1 << 20;

    /**
     * The HTTP front.
     *
     * @param idleTimeout how long a connection may stay without a complete request head, and a write without progress
     * @param requestTimeout how long the body of a request may take from its first byte to its last
     * @param streamHeartbeat after how much silence an event stream sends a comment
     * @param maxConnectionAge after which age a connection is closed with its next answer
     * @param playground whether there is a page at {@code /}
     * @param allowedOrigins of other web pages that may have code run
     */
    public record Http(
            ListenAddress address,
            int maxHeaderBytes,
            int maxConnections,
            Duration idleTimeout,
            Duration requestTimeout,
            Duration streamHeartbeat,
            Duration maxConnectionAge,
            boolean playground,
            List<String> allowedOrigins) {

        /** The same deadlines elsewhere. */
        public Http at(ListenAddress other, int connections) {
            return new Http(
                    other,
                    maxHeaderBytes,
                    connections,
                    idleTimeout,
                    requestTimeout,
                    streamHeartbeat,
                    maxConnectionAge,
                    playground,
                    allowedOrigins);
        }
    }

    /** What one request may ask for. */
    public record Requests(
            int maxRequestBytes,
            int maxCodeBytes,
            int maxInputFiles,
            Duration maxExecutionTime,
            int defaultMemoryMb,
            int maxMemoryMb) {}

    /**
     * What one sandbox may use, besides the time and memory of its request.
     *
     * @param cpus share of processors, 1.0 is one
     */
    public record Sandboxes(
            double cpus,
            int maxProcesses,
            int maxOpenFiles,
            int maxOutputBytes,
            int workspaceMb,
            int tmpMb,
            int shmMb,
            int maxInodes,
            int maxArtifacts,
            int maxArtifactBytes) {

        /** Sizes of the writable file systems of a sandbox with this much memory. */
        public WritableSpace spaceFor(int memoryMb) {
            return WritableSpace.of(this, memoryMb);
        }
    }

    /** How many executions run, how many wait, and for how long. */
    public record Admission(int maxConcurrent, int queueLength, Duration queueTimeout) {}

    /**
     * How many sandboxes wait for calls.
     *
     * @param memoryMb of all that wait; 0: none does
     * @param min of each language, when nobody calls
     * @param max of each language
     * @param refills made ready at the same time
     * @param maxAge after which one that waited is replaced
     */
    public record ReadyPool(int memoryMb, int min, int max, int refills, Duration maxAge) {}

    /** How sandboxes are made. */
    public record Backend(
            BackendChoice choice,
            boolean requireHardwareIsolation,
            Firecracker firecracker,
            Path runsc,
            Path launcher,
            Path guestImage,
            Path stateDir,
            int pythonVariants,
            Duration templateTimeout,
            Duration resumeTimeout) {}

    /**
     * What only Firecracker needs.
     *
     * @param kernel directory of the guest's kernel
     * @param uidBase first of the user ids that machines run under
     * @param probeTimeout how long a guest may take to show that KVM works
     */
    public record Firecracker(
            Path program, Path jailer, Path kernel, String kernelArguments, int uidBase, Duration probeTimeout) {}

    public enum BackendChoice {
        AUTO,
        FIRECRACKER,
        GVISOR
    }

    /**
     * The audit log.
     *
     * @param file empty when none is kept
     * @param code whether the code of calls is kept, too
     */
    public record Audit(Optional<Path> file, int maxBytes, boolean code) {}

    public record Log(LogLevel level, LogFormat format) {}

    public enum LogLevel {
        ERROR,
        WARN,
        INFO,
        DEBUG,
        TRACE
    }

    public enum LogFormat {
        TEXT,
        JSON
    }

    /**
     * Reads the configuration.
     *
     * @throws ConfigException with every variable that is wrong
     */
    public static EngineConfig load(Map<String, String> environment, Machine machine) throws ConfigException {
        var reader = new EnvironmentReader(environment);
        var requests = requests(reader);
        var readyPool = readyPool(reader, machine);
        var http = http(reader);
        var config = new EngineConfig(
                http,
                requests,
                sandboxes(reader),
                admission(reader, machine, requests, readyPool),
                readyPool,
                backend(reader),
                IdentityConfig.read(reader, http.address()),
                new Audit(reader.readOptional(AUDIT_FILE), reader.read(AUDIT_MAX_BYTES), reader.read(AUDIT_CODE)),
                metricsAddress(reader, http.address()),
                TracingConfig.read(reader),
                new Log(reader.read(LOG_LEVEL), reader.read(LOG_FORMAT)),
                reader.read(SHUTDOWN_TIMEOUT, requests.maxExecutionTime().plusSeconds(5)));
        reader.throwIfRejected();
        return config;
    }

    /** Port 0 is another free one each time. */
    private static Optional<ListenAddress> metricsAddress(EnvironmentReader reader, ListenAddress main) {
        var address = reader.readOptional(METRICS_LISTEN_ADDRESS);
        boolean anyPort = main instanceof ListenAddress.Tcp tcp && tcp.port() == 0;
        if (!anyPort && address.filter(main::equals).isPresent()) {
            reader.reject(METRICS_LISTEN_ADDRESS, "another one than LISTEN_ADDRESS, or unset");
        }
        return address;
    }

    private static Http http(EnvironmentReader reader) {
        return new Http(
                reader.read(LISTEN_ADDRESS),
                reader.read(MAX_HEADER_BYTES),
                reader.read(MAX_CONNECTIONS),
                reader.read(IDLE_TIMEOUT),
                reader.read(REQUEST_TIMEOUT),
                reader.read(STREAM_HEARTBEAT),
                reader.read(MAX_CONNECTION_AGE),
                reader.read(PLAYGROUND),
                reader.readOptional(ALLOWED_ORIGINS).orElse(List.of()));
    }

    private static Requests requests(EnvironmentReader reader) {
        int maxMemoryMb = reader.read(MAX_MEMORY_MB);
        int defaultMemoryMb = reader.read(DEFAULT_MEMORY_MB, Math.min(256, maxMemoryMb));
        if (defaultMemoryMb > maxMemoryMb && reader.accepted(MAX_MEMORY_MB)) {
            reader.reject(DEFAULT_MEMORY_MB, defaultMemoryMb, "at most MAX_MEMORY_MB, which is " + maxMemoryMb);
        }
        int maxRequestBytes = reader.read(MAX_REQUEST_BYTES);
        int maxCodeBytes = reader.read(MAX_CODE_BYTES, Math.min(4 << 20, maxRequestBytes));
        if (maxCodeBytes > maxRequestBytes && reader.accepted(MAX_REQUEST_BYTES)) {
            reader.reject(MAX_CODE_BYTES, maxCodeBytes, "at most MAX_REQUEST_BYTES, which is " + maxRequestBytes);
        }
        return new Requests(
                maxRequestBytes,
                maxCodeBytes,
                reader.read(MAX_INPUT_FILES),
                reader.read(MAX_EXECUTION_TIME),
                defaultMemoryMb,
                maxMemoryMb);
    }

    private static Sandboxes sandboxes(EnvironmentReader reader) {
        return new Sandboxes(
                reader.read(CPUS),
                reader.read(MAX_PROCESSES),
                reader.read(MAX_OPEN_FILES),
                reader.read(MAX_OUTPUT_BYTES),
                reader.read(WORKSPACE_MB),
                reader.read(TMP_MB),
                reader.read(SHM_MB),
                reader.read(MAX_INODES),
                reader.read(MAX_ARTIFACTS),
                reader.read(MAX_ARTIFACT_BYTES));
    }

    private static ReadyPool readyPool(EnvironmentReader reader, Machine machine) {
        long halfOfMachineMb = machine.memoryBytes() / MIB / 2;
        int memoryMb = reader.read(READY_POOL_MEMORY_MB, (int) Math.min(halfOfMachineMb / 4, 1 << 20));
        if (memoryMb > halfOfMachineMb) {
            reader.reject(
                    READY_POOL_MEMORY_MB,
                    memoryMb,
                    "at most half of this machine's memory, which is " + halfOfMachineMb);
        }
        int max = reader.read(READY_POOL_MAX, 8 * machine.cores());
        int min = reader.read(READY_POOL_MIN, Math.min(Math.min(machine.cores(), 8), max));
        if (min > max && reader.accepted(READY_POOL_MAX)) {
            reader.reject(READY_POOL_MIN, min, "at most READY_POOL_MAX, which is " + max);
        }
        return new ReadyPool(
                memoryMb,
                min,
                max,
                reader.read(READY_POOL_REFILLS, Math.max(1, machine.cores() / 2)),
                reader.read(READY_POOL_MAX_AGE));
    }

    private static Admission admission(
            EnvironmentReader reader, Machine machine, Requests requests, ReadyPool readyPool) {
        return new Admission(
                reader.read(MAX_CONCURRENT, concurrencyFor(machine, requests.maxMemoryMb(), readyPool.memoryMb())),
                reader.read(QUEUE_LENGTH),
                reader.read(QUEUE_TIMEOUT));
    }

    /**
     * Two a core, for programs wait as well as compute; and every one of them must find its memory in three quarters of the machine's, less
     * what the waiting ones may hold: one that is taken is then a running one.
     */
    private static int concurrencyFor(Machine machine, int maxMemoryMb, int readyPoolMb) {
        long bytes = machine.memoryBytes() / 4 * 3 - readyPoolMb * MIB;
        long byMemory = bytes / ((maxMemoryMb + SANDBOX_OVERHEAD_MB) * MIB);
        return Math.clamp(Math.min(2L * machine.cores(), byMemory), 1, 1_000);
    }

    private static Backend backend(EnvironmentReader reader) {
        var choice = reader.read(SANDBOX_BACKEND);
        boolean requireHardware = reader.read(REQUIRE_HARDWARE_ISOLATION);
        if (requireHardware && choice == BackendChoice.GVISOR) {
            reader.reject(SANDBOX_BACKEND, "gvisor", "auto or firecracker, because REQUIRE_HARDWARE_ISOLATION is true");
        }
        return new Backend(
                choice,
                requireHardware,
                new Firecracker(
                        reader.read(FIRECRACKER_BIN),
                        reader.read(JAILER_BIN),
                        reader.read(GUEST_KERNEL),
                        reader.read(GUEST_KERNEL_ARGS, ""),
                        reader.read(JAIL_UID_BASE),
                        reader.read(KVM_PROBE_TIMEOUT)),
                reader.read(RUNSC_BIN),
                reader.read(LAUNCHER_BIN),
                reader.read(GUEST_IMAGE),
                reader.read(STATE_DIR),
                reader.read(PYTHON_VARIANTS),
                reader.read(TEMPLATE_TIMEOUT),
                reader.read(RESUME_TIMEOUT));
    }
}
