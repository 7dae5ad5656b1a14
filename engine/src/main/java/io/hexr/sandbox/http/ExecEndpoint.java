package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
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
 * {@code POST /api/v1/exec}: body → checked request → result → record → answer, or the same run as events for who prefers them. A client that
 * goes away meanwhile ends its run.
 */
final class ExecEndpoint implements Endpoint {
    private static final Logger log = LoggerFactory.getLogger(ExecEndpoint.class);
    private static final String JSON = "application/json";

    private final ExecutionRequestParser parser;
    private final RecordedExecutions executions;
    private final int maxBytes;
    private final Duration timeout;
    private final ExecutionStream.Settings streams;

    ExecEndpoint(
            ExecutionRequestParser parser,
            RecordedExecutions executions,
            int maxBytes,
            Duration timeout,
            ExecutionStream.Settings streams) {
        this.parser = parser;
        this.executions = executions;
        this.maxBytes = maxBytes;
        this.timeout = timeout;
        this.streams = streams;
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
    public Reply handle(Request request, Caller caller, BodyMemory.Reservation memory) {
        var call = new AuditedCall(request, caller.identity());
        var wanted = Accept.of(request.getHeaders()).best(List.of(JSON, EventStream.MEDIA_TYPE));
        if (wanted.isPresent() && wanted.get().equals(EventStream.MEDIA_TYPE)) {
            return new ExecutionStream(
                    request, caller, executions, call, () -> read(request, caller, memory, call), memory, streams);
        }
        var answer = answer(request, call, () -> {
            if (wanted.isEmpty()) {
                throw notAcceptable();
            }
            return read(request, caller, memory, call);
        });
        return answer.with(RateLimitHeaders.of(executions.quotas(caller)));
    }

    private Answer answer(Request request, AuditedCall call, RecordedExecutions.Source source) {
        try (var client = new ClientWatch(request)) {
            var result =
                    executions.execute(call, client.watching(source), ExecutionListener.NONE, client.cancellation());
            return ResultBody.answer(result)
                    .with(ServerTiming.HEADER, ServerTiming.of(call.readTime(), result.timings(), call.elapsed()));
        } catch (EngineException e) {
            log.debug("exec: {} {}", e.code(), e.getMessage());
            return Problem.answer(e).with(ServerTiming.HEADER, ServerTiming.of(call.elapsed()));
        }
    }

    private static EngineException notAcceptable() {
        return new EngineException(
                ErrorCode.NOT_ACCEPTABLE,
                "Results come as %s or %s, and Accept allows neither.".formatted(JSON, EventStream.MEDIA_TYPE));
    }

    @Override
    public Answer refused(Request request, @Nullable CallerIdentity identity, EngineException why) {
        return Problem.answer(executions.refused(new AuditedCall(request, identity), why));
    }

    private ExecutionRequest read(Request request, Caller caller, BodyMemory.Reservation memory, AuditedCall call)
            throws EngineException {
        ContentType.requireJson(request.getHeaders());
        try (var body = new RequestBody(request, timeout)) {
            byte[] bytes = body.readAll(maxBytes, memory);
            call.received();
            return parser.parse(caller, bytes);
        }
    }
}
