package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import io.hexr.sandbox.exec.ExecutionEngine;
import io.hexr.sandbox.exec.ExecutionResult;
import io.hexr.sandbox.identity.CallerIdentity;
import io.hexr.sandbox.policy.Caller;
import io.hexr.sandbox.telemetry.audit.Audit;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code POST /api/v1/exec}: body → checked request → result → record → answer. A client that goes away during the run is not noticed over HTTP/1.1, where
 * nothing is read from the connection meanwhile; its program runs on, at most until its timeout.
 */
final class ExecEndpoint implements Endpoint {
    private static final Logger log = LoggerFactory.getLogger(ExecEndpoint.class);

    private final ExecutionRequestParser parser;
    private final ExecutionEngine engine;
    private final Audit audit;
    private final int maxBytes;
    private final Duration timeout;

    ExecEndpoint(ExecutionRequestParser parser, ExecutionEngine engine, Audit audit, int maxBytes, Duration timeout) {
        this.parser = parser;
        this.engine = engine;
        this.audit = audit;
        this.maxBytes = maxBytes;
        this.timeout = timeout;
    }

    @Override
    public String path() {
        return "/api/v1/exec";
    }

    @Override
    public List<String> methods() {
        return List.of("POST");
    }

    @Override
    public Answer handle(Request request, Caller caller, BodyMemory.Reservation memory) {
        long start = System.nanoTime();
        if (!canRecord()) {
            return AuditedCall.unavailable("Records of calls cannot be kept at the moment; the code was not run.");
        }
        var call = new AuditedCall(request, caller.identity());
        Answer answer;
        try {
            var result = run(request, caller, memory, call);
            answer = ResultBody.answer(result)
                    .with(ServerTiming.HEADER, ServerTiming.of(result.timings(), since(start)));
        } catch (EngineException e) {
            log.debug("exec: {} {}", e.code(), e.getMessage());
            call.failed(e);
            answer = Problem.answer(e).with(ServerTiming.HEADER, ServerTiming.of(since(start)));
        } catch (RuntimeException e) {
            call.failed(ErrorCode.INTERNAL);
            call.recorded(audit, Problem.answer(new EngineException(ErrorCode.INTERNAL, "")));
            throw e;
        }
        return call.recorded(audit, answer);
    }

    private ExecutionResult run(Request request, Caller caller, BodyMemory.Reservation memory, AuditedCall call)
            throws EngineException {
        ContentType.requireJson(request.getHeaders());
        var asked = parser.parse(caller, read(request, memory));
        call.asked(asked);
        var result = engine.execute(asked);
        call.ended(result);
        return result;
    }

    @Override
    public Answer refused(Request request, @Nullable CallerIdentity identity, EngineException why) {
        if (!canRecord()) {
            return AuditedCall.unavailable("Records of calls cannot be kept at the moment; the code was not run.");
        }
        var call = new AuditedCall(request, identity);
        call.failed(why);
        return call.recorded(audit, Problem.answer(why));
    }

    private boolean canRecord() {
        try {
            audit.requireWritable();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static Duration since(long nanoTime) {
        return Duration.ofNanos(System.nanoTime() - nanoTime);
    }

    private byte[] read(Request request, BodyMemory.Reservation memory) throws EngineException {
        try (var body = new RequestBody(request, timeout)) {
            return body.readAll(maxBytes, memory);
        }
    }
}
