package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import io.hexr.sandbox.exec.ExecutionRequest;
import io.hexr.sandbox.exec.ExecutionResult;
import io.hexr.sandbox.identity.CallerIdentity;
import io.hexr.sandbox.telemetry.audit.AuditRecord;
import io.hexr.sandbox.telemetry.trace.RequestTrace;
import java.time.Duration;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** What becomes known of one call while it goes on, for its record and its trace. Belongs to the thread of the request. */
final class AuditedCall {
    private final long start = System.nanoTime();
    private final @Nullable String caller;
    private final @Nullable String proof;
    private final @Nullable String peer;
    private final RequestTrace trace;
    private @Nullable String executionId;
    private @Nullable ExecutionRequest asked;
    private AuditRecord.@Nullable Run run;
    private Duration read = Duration.ZERO;
    private String outcome = "ok";
    private @Nullable String reason;

    /**
     * @param identity null when it was not proven
     */
    AuditedCall(Request request, @Nullable CallerIdentity identity) {
        var address = PeerOf.request(request).address();
        this.caller = identity == null ? null : identity.name();
        this.proof = identity == null ? null : identity.proof();
        this.peer = address == null ? null : address.getHostAddress();
        this.trace = TracingHandler.of(request);
        if (identity != null) {
            trace.caller(identity.name());
        }
    }

    @Nullable
    String caller() {
        return caller;
    }

    @Nullable
    String traceId() {
        return trace.traceId();
    }

    /** Its body is here. */
    void received() {
        read = elapsed();
    }

    /** How long its body was on its way, which is the client's time. */
    Duration readTime() {
        return read;
    }

    /** Since its head was here. */
    Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    void asked(ExecutionRequest request) {
        asked = request;
    }

    void ended(ExecutionResult result) {
        var limit = result.limit();
        executionId = result.executionId();
        run = new AuditRecord.Run(
                result.exitCode(), limit == null ? null : limit.id(), result.executionTimeMs(), result.memoryUsedMb());
    }

    void failed(EngineException e) {
        failed(e.code());
        executionId = e.executionId();
        reason = e.code() == ErrorCode.UNAUTHENTICATED || e.code() == ErrorCode.FORBIDDEN ? e.detail() : null;
    }

    void failed(ErrorCode code) {
        outcome = code.id();
        trace.failed(code);
    }

    /** {@code ok}, or the error's code. */
    String outcome() {
        return outcome;
    }

    AuditRecord toRecord() {
        return new AuditRecord(
                executionId,
                caller,
                proof,
                peer,
                trace.traceId(),
                outcome,
                reason,
                asked == null ? null : program(asked),
                run,
                elapsed().toMillis());
    }

    private static AuditRecord.Program program(ExecutionRequest asked) {
        return AuditRecord.Program.of(asked.language().id(), asked.code(), asked.timeout(), asked.memoryMb());
    }
}
