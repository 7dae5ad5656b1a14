package io.hexr.sandbox.exec;

import io.hexr.sandbox.config.EngineConfig;
import io.hexr.sandbox.config.EngineConfig.Sandboxes;
import io.hexr.sandbox.exec.ExecutionResult.PhaseTimings;
import io.hexr.sandbox.guest.GuestOutcome;
import io.hexr.sandbox.guest.OutputSink;
import io.hexr.sandbox.pool.ReadySandbox;
import io.hexr.sandbox.pool.SandboxPool;
import io.hexr.sandbox.sandbox.Sandbox;
import io.hexr.sandbox.sandbox.SandboxException;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one request from admission to result.
 *
 * <h2>Life of an execution</h2>
 *
 * <ol>
 *   <li><b>Queued</b>: waits for a permit. Ends in {@code queue_full}, {@code queue_timeout} or {@code draining}; nothing was acquired.
 *   <li><b>Starting</b>: takes a handshaken sandbox from the pool. A host fault ends it as {@code sandbox_failed}.
 *   <li><b>Running</b>: the guest has the program and its own deadline; the host's deadline, a little later, is the backstop: it kills the
 *       sandbox, which ends the session's blocked read. Output received so far is kept.
 *   <li><b>Killed</b>: on every path the sandbox is killed before its counters are read, so they are final.
 *   <li><b>Judged</b>: {@link Verdict} turns the guest's word and the host's counters into a result or a typed failure. Only an EXIT
 *       frame makes a normal result.
 * </ol>
 *
 * <p>The sandbox and the permit are on a cleanup stack from the moment they exist. The permit goes last, so a dying sandbox still counts
 * against the capacity. The request's thread owns the execution; the timer and the shutdown touch it only through {@link Sandbox#kill},
 * which is idempotent.
 */
public final class ExecutionService implements ExecutionEngine, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ExecutionService.class);

    /** How long after the program's deadline the guest may take to end it and report, before the host ends the sandbox. */
    private static final Duration GRACE = Duration.ofSeconds(2);

    private final SandboxPool pool;
    private final Sandboxes limits;
    private final FreshStart freshStart;
    private final ScheduledExecutorService timer;
    private final Admission admission;

    public ExecutionService(
            SandboxPool pool, EngineConfig config, FreshStart freshStart, ScheduledExecutorService timer) {
        this.pool = pool;
        this.limits = config.sandboxes();
        this.freshStart = freshStart;
        this.timer = timer;
        var queue = config.admission();
        this.admission = new Admission(queue.maxConcurrent(), queue.queueLength(), queue.queueTimeout());
    }

    @Override
    public ExecutionResult execute(ExecutionRequest request) throws EngineException {
        String id = ExecutionId.next();
        try (var cleanup = new CleanupStack()) {
            long queued = System.nanoTime();
            cleanup.push("permit", admission.acquire()::close);
            return run(id, request, cleanup, since(queued));
        } catch (EngineException e) {
            throw e.of(id);
        }
    }

    private ExecutionResult run(String id, ExecutionRequest request, CleanupStack cleanup, Duration queue)
            throws EngineException {
        ReadySandbox ready = take(id, request);
        Sandbox sandbox = ready.sandbox();
        cleanup.push("sandbox " + sandbox.id(), sandbox::close);

        var stdout = new OutputBuffer(limits.maxOutputBytes());
        var stderr = new OutputBuffer(limits.maxOutputBytes());
        var overdue = new AtomicBoolean();
        var backstop = timer.schedule(
                () -> {
                    overdue.set(true);
                    Thread.startVirtualThread(sandbox::kill);
                },
                request.timeout().plus(GRACE).toNanos(),
                TimeUnit.NANOSECONDS);
        cleanup.push("backstop", () -> backstop.cancel(false));

        long started = System.nanoTime();
        GuestOutcome outcome = ready.session()
                .run(RunPlan.guestRun(request, limits, freshStart.isNeeded(request)), sink(stdout, stderr));
        Duration ran = since(started);
        backstop.cancel(false);
        sandbox.kill();
        var timings = new PhaseTimings(queue, ready.resumeTime(), ready.handshakeTime(), ran);
        var verdict = new Verdict(id, request, stdout, stderr, sandbox.usage(), overdue.get(), timings);
        return switch (outcome) {
            case GuestOutcome.Exited exited -> verdict.of(exited);
            case GuestOutcome.Lost lost -> verdict.of(lost, () -> report(id, sandbox, lost.reason()));
            case GuestOutcome.Refused refused ->
                verdict.of(refused, () -> report(id, sandbox, refused.failure() + ": " + refused.message()));
            case GuestOutcome.Violation violation -> {
                report(id, sandbox, violation.reason());
                throw new EngineException(
                        ErrorCode.SANDBOX_VIOLATION,
                        "What came out of the sandbox was not the agent's protocol; the sandbox was destroyed.");
            }
        };
    }

    private ReadySandbox take(String id, ExecutionRequest request) throws EngineException {
        try {
            return pool.take(request.language(), RunPlan.hostLimits(request, limits));
        } catch (SandboxException e) {
            log.error("execution {}: no sandbox ({}): {}", id, e.code(), e.getMessage());
            throw switch (e.code()) {
                case CLOSED -> new EngineException(ErrorCode.DRAINING, "The engine is shutting down.", e);
                case BACKEND_UNUSABLE,
                        TEMPLATE_FAILED,
                        TEMPLATE_CORRUPT,
                        RESUME_FAILED,
                        RESUME_TIMEOUT,
                        HANDSHAKE_FAILED,
                        HOST_RESOURCE ->
                    new EngineException(
                            ErrorCode.SANDBOX_FAILED,
                            "The host could not provide a sandbox; the code was not run. Try again.",
                            e);
            };
        }
    }

    private static OutputSink sink(OutputBuffer stdout, OutputBuffer stderr) {
        return new OutputSink() {
            @Override
            public void stdout(byte[] bytes) {
                stdout.append(bytes);
            }

            @Override
            public void stderr(byte[] bytes) {
                stderr.append(bytes);
            }
        };
    }

    private static void report(String id, Sandbox sandbox, String reason) {
        log.error("execution {}: sandbox {} failed: {}; its log: {}", id, sandbox.id(), reason, sandbox.log());
    }

    private static Duration since(long nanoTime) {
        return Duration.ofNanos(System.nanoTime() - nanoTime);
    }

    public int capacity() {
        return admission.capacity();
    }

    public int running() {
        return admission.running();
    }

    public int waiting() {
        return admission.waiting();
    }

    /** Admits nobody any more and waits for those who run. */
    public boolean drain(Duration timeout) throws InterruptedException {
        admission.close();
        return admission.awaitIdle(timeout);
    }

    @Override
    public void close() {
        admission.close();
    }
}
