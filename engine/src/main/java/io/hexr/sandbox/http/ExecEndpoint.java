package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ExecutionEngine;
import io.hexr.sandbox.policy.Caller;
import java.time.Duration;
import java.util.List;
import org.eclipse.jetty.server.Request;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code POST /api/v1/exec}: body → checked request → result. A client that goes away during the run is not noticed over HTTP/1.1, where
 * nothing is read from the connection meanwhile; its program runs on, at most until its timeout.
 */
final class ExecEndpoint implements Endpoint {
    private static final Logger log = LoggerFactory.getLogger(ExecEndpoint.class);

    private final ExecutionRequestParser parser;
    private final ExecutionEngine engine;
    private final int maxBytes;
    private final Duration timeout;

    ExecEndpoint(ExecutionRequestParser parser, ExecutionEngine engine, int maxBytes, Duration timeout) {
        this.parser = parser;
        this.engine = engine;
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
        try {
            ContentType.requireJson(request.getHeaders());
            var result = engine.execute(parser.parse(caller, read(request, memory)));
            return ResultBody.answer(result).with(ServerTiming.HEADER, ServerTiming.of(result.timings(), since(start)));
        } catch (EngineException e) {
            log.debug("exec: {} {}", e.code(), e.getMessage());
            return Problem.answer(e).with(ServerTiming.HEADER, ServerTiming.of(since(start)));
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
