package io.hexr.sandbox.exec;

import io.hexr.sandbox.config.EngineConfig;
import io.hexr.sandbox.config.EngineConfig.Sandboxes;
import io.hexr.sandbox.exec.ExecutionResult.PhaseTimings;
import io.hexr.sandbox.exec.Verdict.Killer;
import io.hexr.sandbox.guest.GuestOutcome;
import io.hexr.sandbox.guest.OutputSink;
import io.hexr.sandbox.policy.Caller;
import io.hexr.sandbox.pool.ReadySandbox;
import io.hexr.sandbox.pool.SandboxPool;
import io.hexr.sandbox.sandbox.HostUsage;
import io.hexr.sandbox.sandbox.Sandbox;
import io.hexr.sandbox.sandbox.SandboxException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one request from admission to result.
 *
 * <h2>Life of an execution</h2>
 *
 * <ol>
 *   <li><b>Counted</b> against the caller's quota. Ends in {@code rate_limited}.
 *   <li><b>Queued</b>: waits for a permit. Ends in {@code queue_full}, {@code queue_timeout} or {@code draining}; nothing was acquired.
 *   <li><b>Starting</b>: takes a handshaken sandbox from the pool. A host fault ends it as {@code sandbox_failed}.
 *   <li><b>Running</b>: the guest gets the files, then the program runs under the guest's own deadline; the host's, a little later, is the
 *       {@link Backstop}. Output received so far is kept. After EXIT come the files that it made.
 *   <li><b>Ended</b>: the guest said EXIT, or is lost; a sandbox that did not say it is killed. The host's counters are read: the kernel
 *       counts an OOM kill and a refused fork before the program can notice, so they hold whatever made it end.
 *   <li><b>Judged</b>: {@link Verdict} turns the guest's word and the host's counters into a result or a typed failure. Only an EXIT
 *       frame makes a normal result.
 *   <li><b>Cleaned up</b>: on a thread of its own, which is started before the answer leaves, on every path. It kills and removes the
 *       sandbox; then it gives the permit back, and with it the word that nothing of the execution is left to do or to tell.
 * </ol>
 *
 * <p>An {@link ExecutionObserver} is told at each of these steps.
 *
 * <p>The sandbox and the permit are on a cleanup stack from the moment they exist. The permit goes last, so a dying sandbox still counts
 * against the capacity, and there are no more cleanups than permits; one that cannot be removed keeps its permit. The request's thread owns
 * the execution; the timer, the shutdown and a caller that cancels touch it only through {@link Sandbox#kill}, which is idempotent. A call that
 * is cancelled ends in {@code cancelled} wherever it is; only a run whose end the guest has said already keeps its result.
 */
public final class ExecutionService implements ExecutionEngine {
    private static final Logger log = LoggerFactory.getLogger(ExecutionService.class);

    /** How long after the program's deadline the guest may take to end it and report, before the host ends the sandbox. */
    private static final Duration GRACE = Duration.ofSeconds(2);

    /** How long a sandbox that has closed its channel may take to end by itself. */
    private static final Duration OWN_END_TIMEOUT = Duration.ofSeconds(1);

    /** When it makes sense to ask again a host that is short of something. */
    private static final Duration HOST_RECOVERY = Duration.ofSeconds(5);

    private final SandboxPool pool;
    private final Sandboxes limits;
    private final Duration filesTimeout;
    private final ScheduledExecutorService timer;
    private final CallerQuotas quotas;
    private final Admission admission;
    private final ExecutionObserver observer;
    private volatile boolean abandoned;

    public ExecutionService(
            SandboxPool pool, EngineConfig config, ScheduledExecutorService timer, List<ExecutionObserver> observers) {
        this.pool = pool;
        this.limits = config.sandboxes();
        // To write the files of a caller, and to read those that its program made, is work for the caller, so each gets
        // what a program gets at most.
        this.filesTimeout = config.requests().maxExecutionTime();
        this.timer = timer;
        var queue = config.admission();
        this.quotas = new CallerQuotas(System::nanoTime);
        this.admission = new Admission(queue.maxConcurrent(), queue.queueLength(), queue.queueTimeout());
        this.observer = new ExecutionObservers(observers);
    }

    @Override
    public ExecutionResult execute(ExecutionRequest request, ExecutionListener listener, Cancellation cancellation)
            throws EngineException {
        String id = ExecutionId.next();
        var observed = observer.begun(id, request);
        var last = new CleanupStack();
        var cleanup = new CleanupStack();
        cleanup.push("permit", last::close);
        cleanup.push("observer", observed::destroyed);
        // What the host has to do after the answer is not the caller's: who calls one after the other has never two at
        // once.
        try (var lease = quotas.acquire(request.caller())) {
            long queued = System.nanoTime();
            last.push("permit", admission.acquire(request.caller().name(), cancellation)::close);
            Duration queue = since(queued);
            observed.admitted();
            cancellation.throwIfCancelled();
            var result = run(id, request, listener, cancellation, cleanup, lease, queue, observed);
            observed.ended(result);
            return result;
        } catch (EngineException e) {
            observed.failed(e);
            throw e.of(id);
        } catch (RuntimeException | Error e) {
            observed.failed(new EngineException(ErrorCode.INTERNAL, "The engine has a defect.", e));
            throw e;
        } finally {
            // The answer does not wait for processes to die and directories to go, but the permit does.
            Thread.ofVirtual().name("cleanup-" + id).start(cleanup::close);
        }
    }

    private ExecutionResult run(
            String id,
            ExecutionRequest request,
            ExecutionListener listener,
            Cancellation cancellation,
            CleanupStack cleanup,
            CallerQuotas.Lease lease,
            Duration queue,
            ExecutionObserver.Execution observed)
            throws EngineException {
        long asked = System.nanoTime();
        ReadySandbox ready = take(id, request);
        Duration pool = since(asked);
        Sandbox sandbox = ready.sandbox();
        cleanup.push("sandbox " + sandbox.id(), sandbox::close);
        observed.taken(ready.waited(), ready.age(), ready.resumeTime(), ready.handshakeTime());
        cancellation.throwIfCancelled();
        listener.started(id);

        var stdout = new OutputBuffer(limits.maxOutputBytes());
        var stderr = new OutputBuffer(limits.maxOutputBytes());
        var backstop = Backstop.arm(
                timer, filesTimeout, request.timeout().plus(GRACE), filesTimeout.plus(GRACE), sandbox::kill);
        cleanup.push("backstop", backstop::close);
        cancellation.onCancel(sandbox::kill);

        GuestOutcome outcome = ready.session()
                .run(RunPlan.guestRun(request, limits), sink(backstop, observed, stdout, stderr, listener));
        backstop.close();
        observed.stopped();
        long ended = System.nanoTime();
        if (outcome instanceof GuestOutcome.Lost && killer(backstop, cancellation) == Killer.NOBODY) {
            awaitOwnEnd(sandbox);
        }
        if (!(outcome instanceof GuestOutcome.Exited)) {
            sandbox.kill();
        }
        HostUsage usage = sandbox.usage();
        lease.ran(usage.cpuTime() == null ? backstop.runTime() : usage.cpuTime());
        var timings = new PhaseTimings(
                queue,
                pool,
                ready.waited(),
                ready.resumeTime(),
                ready.handshakeTime(),
                backstop.layoutTime(),
                backstop.runTime(),
                since(ended));
        var verdict = new Verdict(id, request, stdout, stderr, usage, killer(backstop, cancellation), timings);
        return switch (outcome) {
            case GuestOutcome.Exited exited -> verdict.of(exited);
            case GuestOutcome.Lost lost -> verdict.of(lost, () -> report(id, sandbox, lost.reason()));
            case GuestOutcome.Refused refused ->
                verdict.of(
                        refused,
                        limits.spaceFor(request.memoryMb()).workspaceBytes(),
                        () -> report(id, sandbox, refused.failure() + ": " + refused.message()));
            case GuestOutcome.Violation violation -> {
                report(id, sandbox, violation.reason());
                throw new EngineException(
                        ErrorCode.SANDBOX_VIOLATION,
                        "What came out of the sandbox was not the agent's protocol; the sandbox was destroyed.");
            }
        };
    }

    /** A process that dies closes its channel before it has ended; how it ended is worth waiting for, because its log will say so. */
    private static void awaitOwnEnd(Sandbox sandbox) {
        try {
            sandbox.onExit().get(OWN_END_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            log.debug("sandbox {} has closed its channel and runs on", sandbox.id());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Killer killer(Backstop backstop, Cancellation cancellation) {
        var expired = backstop.expired();
        if (expired == null) {
            return cancellation.isCancelled() ? Killer.CALLER : abandoned ? Killer.SHUTDOWN : Killer.NOBODY;
        }
        return expired == Backstop.Stage.LAYOUT ? Killer.LAYOUT_DEADLINE : Killer.RUN_DEADLINE;
    }

    private ReadySandbox take(String id, ExecutionRequest request) throws EngineException {
        try {
            return pool.take(request.language(), RunPlan.hostLimits(request, limits));
        } catch (SandboxException e) {
            if (e.code() == SandboxException.Code.CLOSED) {
                throw EngineException.draining("The engine is shutting down; the code was not run.");
            }
            log.error("execution {}: no sandbox ({}): {}", id, e.code(), e.getMessage());
            throw switch (e.code()) {
                case BACKEND_UNUSABLE, TEMPLATE_FAILED, TEMPLATE_CORRUPT, HOST_RESOURCE, CLOSED ->
                    new EngineException(
                                    ErrorCode.UNAVAILABLE,
                                    "The host has no means to make a sandbox at the moment; the code was not run.",
                                    e)
                            .retryAfter(HOST_RECOVERY);
                case RESUME_FAILED, RESUME_TIMEOUT, HANDSHAKE_FAILED ->
                    new EngineException(
                            ErrorCode.SANDBOX_FAILED,
                            "The host could not provide a sandbox; the code was not run. Try again.",
                            e);
            };
        }
    }

    private static OutputSink sink(
            Backstop backstop,
            ExecutionObserver.Execution observed,
            OutputBuffer stdout,
            OutputBuffer stderr,
            ExecutionListener listener) {
        return new OutputSink() {
            @Override
            public void started() {
                backstop.programStarts();
                observed.started();
            }

            @Override
            public void stdout(byte[] bytes) {
                keep(stdout, bytes);
                listener.stdout(bytes);
            }

            @Override
            public void stderr(byte[] bytes) {
                keep(stderr, bytes);
                listener.stderr(bytes);
            }

            @Override
            public void ended() {
                backstop.programEnded();
            }

            private void keep(OutputBuffer buffer, byte[] bytes) {
                if (!listener.takesOutput()) {
                    buffer.append(bytes);
                }
            }
        };
    }

    private static void report(String id, Sandbox sandbox, String reason) {
        log.error("execution {}: sandbox {} failed: {}; its log: {}", id, sandbox.id(), reason, sandbox.log());
    }

    private static Duration since(long nanoTime) {
        return Duration.ofNanos(System.nanoTime() - nanoTime);
    }

    @Override
    public List<QuotaLevel> quotas(Caller caller) {
        return quotas.levels(caller);
    }

    public int running() {
        return admission.running();
    }

    public int waiting() {
        return admission.waiting();
    }

    /**
     * Admits nobody any more and waits for those who run.
     *
     * @return whether all ended; the sandboxes of those that did not are the caller's to kill
     */
    public boolean drain(Duration timeout) throws InterruptedException {
        admission.close();
        boolean idle = false;
        try {
            idle = admission.awaitIdle(timeout);
            return idle;
        } finally {
            abandoned = !idle;
        }
    }
}
