package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ExecutionEngine;
import io.hexr.sandbox.exec.ExecutionListener;
import io.hexr.sandbox.exec.ExecutionRequest;
import io.hexr.sandbox.exec.ExecutionResult;
import io.hexr.sandbox.exec.ExecutionResult.PhaseTimings;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Runs nothing: remembers what it was asked and answers as told, with the code as stdout unless told otherwise. */
final class FakeEngine implements ExecutionEngine {
    final Queue<ExecutionRequest> requests = new ConcurrentLinkedQueue<>();
    volatile Behaviour behaviour = request -> result(request, request.code());

    interface Behaviour {
        ExecutionResult execute(ExecutionRequest request) throws EngineException;
    }

    @Override
    public ExecutionResult execute(ExecutionRequest request, ExecutionListener listener) throws EngineException {
        requests.add(request);
        return behaviour.execute(request);
    }

    static ExecutionResult result(ExecutionRequest request, String stdout) {
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
                List.of(),
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
