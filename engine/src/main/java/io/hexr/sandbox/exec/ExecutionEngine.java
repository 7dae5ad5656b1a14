package io.hexr.sandbox.exec;

/** Runs one request; blocks until its result is there. */
public interface ExecutionEngine {
    ExecutionResult execute(ExecutionRequest request, ExecutionListener listener) throws EngineException;
}
