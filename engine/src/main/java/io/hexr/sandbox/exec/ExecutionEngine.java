package io.hexr.sandbox.exec;

import io.hexr.sandbox.policy.Caller;
import java.util.List;

/** Runs one request; blocks until its result is there, or until it is cancelled. */
public interface ExecutionEngine {
    ExecutionResult execute(ExecutionRequest request, ExecutionListener listener, Cancellation cancellation)
            throws EngineException;

    /** What is left to a caller of its quotas; nothing for one without. */
    default List<QuotaLevel> quotas(Caller caller) {
        return List.of();
    }
}
