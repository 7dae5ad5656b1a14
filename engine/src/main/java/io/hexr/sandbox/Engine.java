package io.hexr.sandbox;

import io.hexr.sandbox.config.EngineConfig;
import io.hexr.sandbox.config.ListenAddress;
import io.hexr.sandbox.exec.Cancellation;
import io.hexr.sandbox.exec.CleanupStack;
import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import io.hexr.sandbox.exec.ExecutionEngine;
import io.hexr.sandbox.exec.ExecutionListener;
import io.hexr.sandbox.exec.ExecutionRequest;
import io.hexr.sandbox.exec.ExecutionResult;
import io.hexr.sandbox.exec.ExecutionService;
import io.hexr.sandbox.exec.QuotaLevel;
import io.hexr.sandbox.guest.GuestImage;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.http.HealthReport.State;
import io.hexr.sandbox.http.HttpServer;
import io.hexr.sandbox.http.MetricsServer;
import io.hexr.sandbox.http.Rehearsal;
import io.hexr.sandbox.identity.AuthMode;
import io.hexr.sandbox.policy.Caller;
import io.hexr.sandbox.pool.ReadyLimits;
import io.hexr.sandbox.pool.SandboxPool;
import io.hexr.sandbox.sandbox.BackendInfo;
import io.hexr.sandbox.sandbox.HostLimits;
import io.hexr.sandbox.sandbox.SandboxBackend;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.telemetry.audit.Audit;
import io.hexr.sandbox.telemetry.audit.AuditLog;
import io.hexr.sandbox.telemetry.jfr.FlightRecorder;
import io.hexr.sandbox.telemetry.log.LogContext;
import io.hexr.sandbox.telemetry.metrics.Metrics;
import io.hexr.sandbox.telemetry.trace.Tracing;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The running engine: everything is made here, in order, by hand, and ended in the opposite order.
 *
 * <h2>States</h2>
 *
 * <p>STARTING: the port is open so that {@code /health} can say why there are no answers yet; what a dead engine left is removed and the
 * templates are made. OK: calls run; shown as BROKEN while the host gives no sandboxes. DRAINING: from the first {@link #close}; new calls get
 * 503, running ones end, those that do not within {@code SHUTDOWN_TIMEOUT} are killed with their sandboxes. A start that fails closes what was
 * opened and throws.
 */
public final class Engine implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Engine.class);

    private static final long MIB = 1 << 20;
    private static final int WAITING_MEMORY_MB = 16;

    /** As long as a short call on a busy machine. */
    private static final Duration HEAD_START = Duration.ofMillis(100);

    private final EngineConfig config;
    private final GuestImage image;
    private final BackendChoice choice;
    private final SandboxBackend backend;
    private final ScheduledExecutorService timer;
    private final CallerAuthentication authentication;
    private final Audit audit;
    private final Metrics metrics;
    private final Tracing tracing;
    private final HttpServer http;
    private final Optional<MetricsServer> metricsServer;
    private final AtomicReference<State> state = new AtomicReference<>(State.STARTING);
    private volatile @Nullable ExecutionService executions;
    private volatile @Nullable SandboxPool pool;
    private boolean closed;

    private Engine(EngineConfig config) throws StartException, SandboxException, IOException {
        this.config = config;
        this.image = GuestImage.read(config.backend().guestImage());
        this.timer = timer();
        var acquired = new CleanupStack();
        acquired.push("timer", timer::shutdownNow);
        try {
            this.authentication = CallerAuthentication.open(config.identity());
            acquired.push("authentication", authentication::close);
            this.choice = BackendChoice.open(config);
            this.backend = choice.backend();
            acquired.push("backend", backend::close);
            this.audit = openAudit(config.audit());
            acquired.push("audit", audit::close);
            this.tracing = openTracing();
            acquired.push("tracing", tracing::close);
            this.metrics = openMetrics();
            this.metricsServer = openMetricsServer();
            metricsServer.ifPresent(server -> acquired.push("metrics server", server::close));
            this.http =
                    HttpServer.start(config, authentication.gate(), audit, metrics, tracing, new WhenReady(), health());
        } catch (StartException | SandboxException | IOException | RuntimeException e) {
            acquired.close();
            throw e;
        }
    }

    private Audit openAudit(EngineConfig.Audit settings) throws IOException {
        if (settings.file().isEmpty()) {
            return Audit.NONE;
        }
        return AuditLog.open(
                settings.file().get(),
                settings.maxBytes(),
                settings.code(),
                backend.info().name(),
                isolation());
    }

    private Tracing openTracing() throws IOException {
        return Tracing.open(
                config.tracing(), new Tracing.Service(version(), backend.info().name(), isolation()));
    }

    private String isolation() {
        return backend.info().isolation().name().toLowerCase(Locale.ROOT);
    }

    private EngineHealth health() {
        return new EngineHealth(
                version(),
                image,
                choice.info(),
                config.admission(),
                this::state,
                () -> Optional.ofNullable(executions),
                () -> Optional.ofNullable(pool));
    }

    private Metrics openMetrics() {
        var opened = new Metrics(version());
        opened.watch(new RunningState(
                config,
                backend.info(),
                authentication,
                audit,
                tracing,
                this::state,
                () -> Optional.ofNullable(executions),
                () -> Optional.ofNullable(pool)));
        return opened;
    }

    private Optional<MetricsServer> openMetricsServer() throws IOException {
        var address = config.metricsAddress();
        return address.isEmpty()
                ? Optional.empty()
                : Optional.of(MetricsServer.start(config, address.get(), authentication.gate(), metrics));
    }

    private static ScheduledExecutorService timer() {
        var timer = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("deadlines").factory());
        // Else a deadline that was cancelled keeps its sandbox in memory until it would have fired.
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }

    /** Opens the port and the backend; calls are refused until {@link #makeReady}. */
    static Engine open(EngineConfig config) throws StartException {
        try {
            return new Engine(config);
        } catch (SandboxException | IOException e) {
            throw new StartException("The engine cannot start: " + e.getMessage(), e);
        }
    }

    /** Returns when the engine runs code. The caller closes the engine when this fails; {@link #close} from another thread makes it fail. */
    void makeReady() throws StartException {
        Rehearsal.start(config);
        try {
            backend.reap();
            var settings = config.backend();
            var opened = SandboxPool.open(
                    backend,
                    Map.of(Language.PYTHON, settings.pythonVariants()),
                    settings.templateTimeout(),
                    settings.resumeTimeout(),
                    readyLimits(),
                    timer,
                    List.of(metrics.pool()));
            pool = opened;
            executions = new ExecutionService(
                    opened,
                    config,
                    timer,
                    List.of(new LogContext(), metrics.executions(), new FlightRecorder(), tracing));
        } catch (SandboxException e) {
            throw state.get() == State.DRAINING
                    ? stoppedEarly()
                    : new StartException("The engine cannot start: " + e.getMessage(), e);
        }
        if (!state.compareAndSet(State.STARTING, State.OK)) {
            throw stoppedEarly();
        }
        BackendInfo info = choice.info();
        log.info(
                "serving on {} with {} {}, isolation {}, AUTH_MODE {}",
                uri(),
                info.name(),
                info.version(),
                info.isolation(),
                config.identity().mode());
    }

    /** One that waits has memory for the smallest program, and every processor that nobody else wants. */
    private ReadyLimits readyLimits() {
        var settings = config.readyPool();
        return new ReadyLimits(
                settings.memoryMb() * MIB,
                settings.min(),
                settings.max(),
                settings.refills(),
                HEAD_START,
                settings.maxAge(),
                new HostLimits(
                        WAITING_MEMORY_MB * MIB,
                        Runtime.getRuntime().availableProcessors(),
                        config.sandboxes().maxProcesses(),
                        HostLimits.Priority.BACKGROUND));
    }

    private static StartException stoppedEarly() {
        return new StartException("The engine was stopped before it was ready.");
    }

    /** Where a client on this machine reaches it; of a unix socket its path. */
    public URI uri() {
        return switch (config.http().address()) {
            case ListenAddress.UnixSocket socket -> socket.uri();
            case ListenAddress.Tcp tcp -> {
                String scheme = config.identity().tls().isPresent() ? "https" : "http";
                String host = tcp.host() == null ? "127.0.0.1" : tcp.host();
                String shown = host.contains(":") ? "[" + host + "]" : host;
                yield URI.create("%s://%s:%d".formatted(scheme, shown, http.port()));
            }
        };
    }

    /** Whether anybody on another machine may run code. */
    boolean isOpenToTheNetwork() {
        return config.identity().mode() == AuthMode.NONE
                && config.http().address() instanceof ListenAddress.Tcp tcp
                && !isLoopback(tcp.host());
    }

    private boolean isLoopback(@Nullable String host) {
        InetAddress address = host == null ? null : new InetSocketAddress(host, http.port()).getAddress();
        return address != null && address.isLoopbackAddress();
    }

    /** Any thread may close, also while another one starts; a second call waits for the first and does nothing. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        state.set(State.DRAINING);
        // The port goes last but for what it needs, so that /health tells the truth until the end.
        try (AutoCloseable _ = timer::shutdownNow;
                var _ = authentication;
                var _ = audit;
                var _ = tracing;
                var _ = http;
                AutoCloseable _ = () -> metricsServer.ifPresent(MetricsServer::close);
                var _ = backend) {
            drain(config.shutdownTimeout());
            closePool();
        } catch (Exception e) {
            log.error("the stop did not go as it should; the next start removes what is left", e);
        }
        log.info("stopped");
    }

    synchronized boolean isClosed() {
        return closed;
    }

    private void closePool() {
        var sandboxes = pool;
        if (sandboxes != null) {
            sandboxes.close();
        }
    }

    private void drain(Duration timeout) {
        var running = executions;
        if (running == null) {
            return;
        }
        log.info(
                "stopping: no new calls; {} run and may go on for {} s, {} wait and are refused",
                running.running(),
                timeout.toSeconds(),
                running.waiting());
        try {
            if (!running.drain(timeout)) {
                log.warn("{} calls did not end within {} s and are killed", running.running(), timeout.toSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private State state() {
        State now = state.get();
        var sandboxes = pool;
        return now == State.OK && sandboxes != null && sandboxes.isBroken() ? State.BROKEN : now;
    }

    /** Refuses calls until there are templates. */
    private final class WhenReady implements ExecutionEngine {
        @Override
        public List<QuotaLevel> quotas(Caller caller) {
            var ready = executions;
            return ready == null ? List.of() : ready.quotas(caller);
        }

        @Override
        public ExecutionResult execute(ExecutionRequest request, ExecutionListener listener, Cancellation cancellation)
                throws EngineException {
            var ready = executions;
            if (ready == null) {
                throw new EngineException(ErrorCode.STARTING, "The engine is starting.")
                        .retryAfter(Duration.ofSeconds(2));
            }
            return ready.execute(request, listener, cancellation);
        }
    }

    /** From the jar's manifest; a class directory has none. */
    static String version() {
        String version = Engine.class.getPackage().getImplementationVersion();
        return version == null ? "dev" : version;
    }
}
