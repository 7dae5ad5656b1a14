package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ExecutionListener;
import io.hexr.sandbox.exec.ExecutionRequest;
import io.hexr.sandbox.identity.CallerIdentity;
import io.hexr.sandbox.policy.Caller;
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
    private final RecordedExecutions executions;
    private final int maxBytes;
    private final Duration timeout;

    ExecEndpoint(ExecutionRequestParser parser, RecordedExecutions executions, int maxBytes, Duration timeout) {
        this.parser = parser;
        this.executions = executions;
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
    public boolean runsCode() {
        return true;
    }

    @Override
    public Answer handle(Request request, Caller caller, BodyMemory.Reservation memory) {
        long start = System.nanoTime();
        try {
            var result = executions.execute(
                    new AuditedCall(request, caller.identity()),
                    () -> read(request, caller, memory),
                    ExecutionListener.NONE);
            return ResultBody.answer(result).with(ServerTiming.HEADER, ServerTiming.of(result.timings(), since(start)));
        } catch (EngineException e) {
            log.debug("exec: {} {}", e.code(), e.getMessage());
            return Problem.answer(e).with(ServerTiming.HEADER, ServerTiming.of(since(start)));
        }
    }

    @Override
    public Answer refused(Request request, @Nullable CallerIdentity identity, EngineException why) {
        try {
            return Problem.answer(executions.refused(new AuditedCall(request, identity), why));
        } catch (EngineException unrecorded) {
            return Problem.answer(unrecorded);
        }
    }

    private ExecutionRequest read(Request request, Caller caller, BodyMemory.Reservation memory)
            throws EngineException {
        ContentType.requireJson(request.getHeaders());
        try (var body = new RequestBody(request, timeout)) {
            return parser.parse(caller, body.readAll(maxBytes, memory));
        }
    }

    private static Duration since(long nanoTime) {
        return Duration.ofNanos(System.nanoTime() - nanoTime);
    }
}
