package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ExecutionListener;
import io.hexr.sandbox.identity.CallerIdentity;
import io.hexr.sandbox.mcp.CodeRunner;
import io.hexr.sandbox.mcp.Inventory;
import io.hexr.sandbox.mcp.McpHeaders;
import io.hexr.sandbox.mcp.McpServer;
import io.hexr.sandbox.policy.Caller;
import java.time.Duration;
import java.util.List;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /mcp}: the Model Context Protocol over Streamable HTTP. What a message says is the affair of {@link McpServer}; here is what it
 * shares with the API: who may send it, how large it is, how code is run and recorded. There is no stream of the server's own and no session, so
 * GET and DELETE are 405, which both revisions provide for.
 */
final class McpEndpoint implements Endpoint {
    private final McpServer server;
    private final ExecutionRequestParser parser;
    private final RecordedExecutions executions;
    private final int maxBytes;
    private final Duration timeout;

    McpEndpoint(
            McpServer server,
            ExecutionRequestParser parser,
            RecordedExecutions executions,
            int maxBytes,
            Duration timeout) {
        this.server = server;
        this.parser = parser;
        this.executions = executions;
        this.maxBytes = maxBytes;
        this.timeout = timeout;
    }

    /** What {@link McpServer} tells of the engine. */
    static Inventory inventory(HealthReport report) {
        return new Inventory(
                report.version(),
                report.languages().stream()
                        .map(info -> new Inventory.Interpreter(info.language(), info.version(), info.packages()))
                        .toList());
    }

    @Override
    public String path() {
        return "/mcp";
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
    public Answer handle(Request request, Caller caller, BodyMemory.Reservation memory) throws EngineException {
        var fields = request.getHeaders();
        ContentType.requireJson(fields);
        var answer = server.answer(headers(fields), read(request, memory), caller.allowance(), runner(request, caller));
        byte[] body = answer.message() == null ? new byte[0] : answer.message();
        return new Answer(answer.status(), "application/json", body, RateLimitHeaders.of(executions.quotas(caller)));
    }

    /** The body is read: a client that goes away from now on ends its run. */
    private CodeRunner runner(Request request, Caller caller) {
        return arguments -> {
            try (var client = new ClientWatch(request)) {
                return executions.execute(
                        new AuditedCall(request, caller.identity()),
                        client.watching(() -> parser.parse(caller, arguments)),
                        ExecutionListener.NONE,
                        client.cancellation());
            }
        };
    }

    private static McpHeaders headers(HttpFields fields) {
        return new McpHeaders(
                fields.getValuesList(McpHeaders.PROTOCOL_VERSION),
                fields.getValuesList(McpHeaders.METHOD),
                fields.getValuesList(McpHeaders.NAME));
    }

    private byte[] read(Request request, BodyMemory.Reservation memory) throws EngineException {
        try (var body = new RequestBody(request, timeout)) {
            return body.readAll(maxBytes, memory);
        }
    }

    @Override
    public Answer refused(Request request, @Nullable CallerIdentity identity, EngineException why) {
        return Problem.answer(executions.refused(new AuditedCall(request, identity), why));
    }
}
