package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.Cancellation;
import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import io.hexr.sandbox.exec.ExecutionEngine;
import io.hexr.sandbox.exec.ExecutionListener;
import io.hexr.sandbox.exec.ExecutionRequest;
import io.hexr.sandbox.exec.ExecutionResult;
import io.hexr.sandbox.exec.QuotaLevel;
import io.hexr.sandbox.policy.Caller;
import io.hexr.sandbox.telemetry.audit.Audit;
import io.hexr.sandbox.telemetry.log.LogContext;
import io.hexr.sandbox.telemetry.metrics.HttpMetrics;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * Runs code for callers that were let in, the same way on whatever wire a call came: no call is begun that could not be recorded, and none is
 * answered before its record is kept. Who calls is in the {@link AuditedCall}; what the caller may is in the request.
 */
final class RecordedExecutions {
    private final ExecutionEngine engine;
    private final Audit audit;
    private final HttpMetrics metrics;

    RecordedExecutions(ExecutionEngine engine, Audit audit, HttpMetrics metrics) {
        this.engine = engine;
        this.audit = audit;
        this.metrics = metrics;
    }

    /** Reads and checks what is asked for. That it is not legal is recorded too. */
    interface Source {
        ExecutionRequest read() throws EngineException;
    }

    /**
     * Blocks until the run is over and recorded.
     *
     * @throws EngineException the call's failure, recorded; or {@code audit_unavailable} in place of result or failure
     */
    ExecutionResult execute(AuditedCall call, Source source, ExecutionListener listener, Cancellation cancellation)
            throws EngineException {
        try (var _ = LogContext.enter(call.caller(), call.traceId())) {
            requireWritable(call);
            var result = run(call, source, listener, cancellation);
            call.ended(result);
            record(call);
            return result;
        }
    }

    /** What is left to a caller of its quotas, for the answer. */
    List<QuotaLevel> quotas(Caller caller) {
        return engine.quotas(caller);
    }

    private ExecutionResult run(AuditedCall call, Source source, ExecutionListener listener, Cancellation cancellation)
            throws EngineException {
        try {
            var request = source.read();
            call.asked(request);
            return engine.execute(request, listener, cancellation);
        } catch (EngineException e) {
            throw recorded(call, e);
        } catch (RuntimeException | Error e) {
            call.failed(ErrorCode.INTERNAL);
            try {
                record(call);
            } catch (EngineException unrecorded) {
                e.addSuppressed(unrecorded);
            }
            throw e;
        }
    }

    /**
     * Records a call that is not let in. While records cannot be kept it leaves none: the log holds what it owes in memory, and whoever is not
     * let in could send any number of such calls.
     *
     * @return what to answer: why, or {@code audit_unavailable} instead
     */
    EngineException refused(AuditedCall call, EngineException why) {
        try {
            requireWritable(call);
        } catch (EngineException unavailable) {
            return unavailable;
        }
        return recorded(call, why);
    }

    private EngineException recorded(AuditedCall call, EngineException why) {
        call.failed(why);
        try {
            record(call);
            return why;
        } catch (EngineException unrecorded) {
            return unrecorded;
        }
    }

    private void requireWritable(AuditedCall call) throws EngineException {
        try {
            audit.requireWritable();
        } catch (IOException e) {
            throw unavailable(call, "Records of calls cannot be kept at the moment; the code was not run.", e);
        }
    }

    private void record(AuditedCall call) throws EngineException {
        try {
            if (audit.keepsRecords()) {
                audit.write(call.toRecord());
            }
            metrics.called(call.outcome());
        } catch (IOException e) {
            throw unavailable(call, "The call's record cannot be kept, so its answer is not given.", e);
        }
    }

    private EngineException unavailable(AuditedCall call, String what, IOException cause) {
        call.failed(ErrorCode.AUDIT_UNAVAILABLE);
        metrics.called(ErrorCode.AUDIT_UNAVAILABLE.id());
        return new EngineException(ErrorCode.AUDIT_UNAVAILABLE, what, cause).retryAfter(Duration.ofSeconds(5));
    }
}
