package io.hexr.sandbox.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.hexr.sandbox.exec.Cancellation;
import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import io.hexr.sandbox.exec.ExecutionEngine;
import io.hexr.sandbox.exec.ExecutionListener;
import io.hexr.sandbox.exec.ExecutionRequest;
import io.hexr.sandbox.exec.ExecutionResult;
import io.hexr.sandbox.exec.ExecutionResult.Artifact;
import io.hexr.sandbox.exec.ExecutionResult.PhaseTimings;
import io.hexr.sandbox.exec.QuotaLevel;
import io.hexr.sandbox.policy.Caller;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Runs nothing: remembers what it was asked and answers as told, with the code as stdout unless told otherwise. */
final class FakeEngine implements ExecutionEngine {
    final Queue<ExecutionRequest> requests = new ConcurrentLinkedQueue<>();
    volatile Behaviour behaviour = request -> result(request, request.code());

    volatile List<QuotaLevel> quotas = List.of();

    /** For tests of what goes on meanwhile; in its place by default the behaviour, all of whose output comes at once. */
    volatile ExecutionEngine story = this::tell;

    @Override
    public List<QuotaLevel> quotas(Caller caller) {
        return quotas;
    }

    interface Behaviour {
        ExecutionResult execute(ExecutionRequest request) throws EngineException;
    }

    @Override
    public ExecutionResult execute(ExecutionRequest request, ExecutionListener listener, Cancellation cancellation)
            throws EngineException {
        requests.add(request);
        return story.execute(request, listener, cancellation);
    }

    /** A run that says one word and then waits to be cancelled, which it reports by the latch. */
    static ExecutionEngine untilItIsLeft(CountDownLatch left) {
        return (_, listener, cancellation) -> {
            cancellation.onCancel(left::countDown);
            listener.started("exec-1");
            listener.stdout("word".getBytes(UTF_8));
            try {
                if (!left.await(30, TimeUnit.SECONDS)) {
                    throw new IllegalStateException("nobody left");
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            throw new EngineException(ErrorCode.CANCELLED, "gone");
        };
    }

    private ExecutionResult tell(ExecutionRequest request, ExecutionListener listener, Cancellation cancellation)
            throws EngineException {
        var result = behaviour.execute(request);
        listener.started(result.executionId());
        listener.stdout(result.stdout().getBytes(UTF_8));
        return result;
    }

    static ExecutionResult result(ExecutionRequest request, String stdout, Artifact... artifacts) {
        return new ExecutionResult(
                "exec-1",
                request.language(),
                stdout,
                "",
                0,
                12,
                34.5,
                false,
                false,
                null,
                false,
                false,
                null,
                List.of(artifacts),
                List.of(),
                new PhaseTimings(
                        Duration.ofNanos(100_000),
                        Duration.ofMillis(23),
                        false,
                        Duration.ofMillis(20),
                        Duration.ofMillis(3),
                        Duration.ofMillis(1),
                        Duration.ofMillis(12),
                        Duration.ofNanos(250_000)));
    }
}
