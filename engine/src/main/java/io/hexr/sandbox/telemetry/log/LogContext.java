package io.hexr.sandbox.telemetry.log;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ExecutionObserver;
import io.hexr.sandbox.exec.ExecutionRequest;
import io.hexr.sandbox.exec.ExecutionResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** What the log lines of a thread belong to while it serves a call. */
public final class LogContext implements ExecutionObserver {
    static final String EXECUTION_ID = "execution_id";
    static final String CALLER = "caller";
    static final String TRACE_ID = "trace_id";

    /** Until it is closed; a thread may serve another call of its connection next. */
    public interface Scope extends AutoCloseable {
        @Override
        void close();
    }

    /** The thread serves this caller; null for what is not known. */
    public static Scope enter(@Nullable String caller, @Nullable String traceId) {
        MDC.put(CALLER, caller);
        MDC.put(TRACE_ID, traceId);
        return () -> {
            MDC.remove(CALLER);
            MDC.remove(TRACE_ID);
        };
    }

    @Override
    public Execution begun(String id, ExecutionRequest request) {
        MDC.put(EXECUTION_ID, id);
        return new Execution() {
            @Override
            public void ended(ExecutionResult result) {
                MDC.remove(EXECUTION_ID);
            }

            @Override
            public void failed(EngineException why) {
                MDC.remove(EXECUTION_ID);
            }
        };
    }
}
