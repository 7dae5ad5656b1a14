package io.hexr.sandbox.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import io.hexr.sandbox.exec.ExecutionRequest;
import io.hexr.sandbox.exec.ExecutionResult;
import io.hexr.sandbox.identity.CallerIdentity;
import io.hexr.sandbox.telemetry.audit.AuditRecord;
import java.util.regex.Pattern;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** What becomes known of one call while it goes on, for its record. Belongs to the thread of the request. */
final class AuditedCall {
    /** W3C Trace Context, section 3.2; the caller's word, good for finding the trace and for nothing else. */
    private static final Pattern TRACEPARENT = Pattern.compile("00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}");

    private final long start = System.nanoTime();
    private final @Nullable String caller;
    private final @Nullable String proof;
    private final @Nullable String peer;
    private final @Nullable String traceId;
    private @Nullable String executionId;
    private AuditRecord.@Nullable Program program;
    private AuditRecord.@Nullable Run run;
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
        this.traceId = traceId(request);
    }

    private static @Nullable String traceId(Request request) {
        String header = request.getHeaders().get("traceparent");
        var matcher = TRACEPARENT.matcher(header == null ? "" : header);
        return matcher.matches() ? matcher.group(1) : null;
    }

    @Nullable
    String caller() {
        return caller;
    }

    @Nullable
    String traceId() {
        return traceId;
    }

    void asked(ExecutionRequest request) {
        program = AuditRecord.Program.of(
                request.language().id(), request.code().getBytes(UTF_8), request.timeout(), request.memoryMb());
    }

    void ended(ExecutionResult result) {
        var limit = result.limit();
        executionId = result.executionId();
        run = new AuditRecord.Run(
                result.exitCode(), limit == null ? null : limit.id(), result.executionTimeMs(), result.memoryUsedMb());
    }

    void failed(EngineException e) {
        executionId = e.executionId();
        outcome = e.code().id();
        reason = e.code() == ErrorCode.UNAUTHENTICATED || e.code() == ErrorCode.FORBIDDEN ? e.detail() : null;
    }

    void failed(ErrorCode code) {
        outcome = code.id();
    }

    AuditRecord toRecord() {
        return new AuditRecord(
                executionId,
                caller,
                proof,
                peer,
                traceId,
                outcome,
                reason,
                program,
                run,
                (System.nanoTime() - start) / 1_000_000);
    }
}
