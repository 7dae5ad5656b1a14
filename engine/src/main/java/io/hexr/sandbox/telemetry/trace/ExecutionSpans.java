package io.hexr.sandbox.telemetry.trace;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ExecutionObserver;
import io.hexr.sandbox.exec.ExecutionRequest;
import io.hexr.sandbox.exec.ExecutionResult;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The spans of one execution, each as long as its phase: {@code queue}, {@code pool}, {@code layout}, {@code run} and {@code destroy} are children of the
 * request's, {@code resume} and {@code handshake} of {@code pool}.
 *
 * <p>A sandbox that waited was resumed before anybody called. Shown inside the call that would be wrong about its cause, and would stretch the
 * trace over the minutes for which the sandbox waited. So it is a trace of its own, {@code prepare}, with the real times, written when the sandbox is
 * taken; the span {@code pool} links to it and says for how long the sandbox had been ready.
 *
 * <p>One phase at a time is open, but threads differ: the lock decides which. {@code destroy} goes on after the request's span has ended.
 */
final class ExecutionSpans implements ExecutionObserver.Execution {
    private final Tracer tracer;
    private final Span request;
    private final Context parent;
    private @Nullable Span phase;
    private @Nullable Instant stopped;
    private boolean hasSandbox;

    ExecutionSpans(Tracer tracer, Span request, String id, ExecutionRequest asked) {
        this.tracer = tracer;
        this.request = request;
        this.parent = Context.root().with(request);
        request.setAttribute("hexr.execution.id", id);
        request.setAttribute("hexr.language", asked.language().id());
        request.setAttribute("hexr.timeout_ms", asked.timeout().toMillis());
        request.setAttribute("hexr.memory_mb", asked.memoryMb());
        enter("queue");
    }

    private synchronized void enter(String name) {
        Instant now = Instant.now();
        leave(now);
        enter(name, now);
    }

    private void enter(String name, Instant start) {
        phase = tracer.spanBuilder(name)
                .setParent(parent)
                .setStartTimestamp(start)
                .startSpan();
    }

    private void leave(Instant end) {
        if (phase != null) {
            phase.end(end);
            phase = null;
        }
    }

    @Override
    public void admitted() {
        enter("pool");
    }

    @Override
    public synchronized void taken(boolean waited, Duration age, Duration resume, Duration handshake) {
        var pool = phase;
        if (pool != null && pool.isRecording()) {
            pool.setAttribute("hexr.sandbox.waited", waited);
            Instant ready = Instant.now().minus(age);
            if (waited) {
                pool.setAttribute("hexr.sandbox.ready_for_ms", age.toMillis());
                SpanContext prepared = prepare(ready, resume, handshake);
                // Whether it is sampled is the sampler's own decision, as for every trace that has no parent.
                if (prepared.isSampled()) {
                    pool.addLink(prepared);
                }
            } else {
                steps(Context.root().with(pool), ready, resume, handshake);
            }
        }
        hasSandbox = true;
        enter("layout");
    }

    private SpanContext prepare(Instant ready, Duration resume, Duration handshake) {
        Span prepared = tracer.spanBuilder("prepare")
                .setNoParent()
                .setStartTimestamp(ready.minus(handshake).minus(resume))
                .startSpan();
        steps(Context.root().with(prepared), ready, resume, handshake);
        prepared.end(ready);
        return prepared.getSpanContext();
    }

    private void steps(Context within, Instant ready, Duration resume, Duration handshake) {
        Instant connected = ready.minus(handshake);
        step("resume", within, connected.minus(resume), connected);
        step("handshake", within, connected, ready);
    }

    private void step(String name, Context within, Instant start, Instant end) {
        tracer.spanBuilder(name)
                .setParent(within)
                .setStartTimestamp(start)
                .startSpan()
                .end(end);
    }

    @Override
    public void started() {
        enter("run");
    }

    /** Its span stays open until it is known whether it failed. */
    @Override
    public synchronized void stopped() {
        stopped = Instant.now();
    }

    @Override
    public synchronized void ended(ExecutionResult result) {
        var limit = result.limit();
        request.setAttribute("hexr.exit_code", result.exitCode());
        request.setAttribute("hexr.memory_used_mb", result.memoryUsedMb());
        if (limit != null) {
            request.setAttribute("hexr.limit", limit.id());
        }
        beginRemoval();
    }

    @Override
    public synchronized void failed(EngineException why) {
        if (phase != null) {
            phase.setStatus(StatusCode.ERROR, why.code().id());
        }
        beginRemoval();
    }

    /** From the end of the run on, or from the failure if there was none. */
    private void beginRemoval() {
        Instant end = stopped == null ? Instant.now() : stopped;
        leave(end);
        if (hasSandbox) {
            enter("destroy", end);
        }
    }

    @Override
    public synchronized void destroyed() {
        leave(Instant.now());
    }
}
