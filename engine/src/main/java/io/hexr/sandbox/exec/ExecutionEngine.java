package io.hexr.sandbox.exec;

/** Runs one request; blocks until its result is there, or until it is cancelled. */
public interface ExecutionEngine {
    ExecutionResult execute(ExecutionRequest request, ExecutionListener listener, Cancellation cancellation)
            throws EngineException;
}
