package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ExecutionEngine;
import java.time.Duration;
import java.util.List;
import org.eclipse.jetty.server.Request;

/**
 * {@code POST /api/v1/exec}: body → checked request → result. A client that goes away during the run is not noticed over HTTP/1.1, where
 * nothing is read from the connection meanwhile; its program runs on, at most until its timeout.
 */
final class ExecEndpoint implements Endpoint {
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
    public Answer handle(Request request, BodyMemory.Reservation memory) throws EngineException {
        ContentType.requireJson(request.getHeaders());
        return ResultBody.answer(engine.execute(parser.parse(read(request, memory))));
    }

    private byte[] read(Request request, BodyMemory.Reservation memory) throws EngineException {
        try (var body = new RequestBody(request, timeout)) {
            return body.readAll(maxBytes, memory);
        }
    }
}
