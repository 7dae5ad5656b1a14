package io.hexr.sandbox.mcp;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ExecutionResult;
import java.nio.CharBuffer;

/** Runs code for the caller of one request, by the same rules and with the same record as every other call of the API. */
public interface CodeRunner {
    /**
     * Blocks until the run is over.
     *
     * @param arguments of the tool: the JSON text of a request as the API takes it
     */
    ExecutionResult run(CharBuffer arguments) throws EngineException;
}
