package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.Cancellation;
import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ExecutionListener;
import io.hexr.sandbox.exec.ExecutionRequest;
import io.hexr.sandbox.exec.ExecutionResult;
import io.hexr.sandbox.exec.Utf8Decoder;
import io.hexr.sandbox.http.ResultBody.ArtifactBody;
import io.hexr.sandbox.policy.Caller;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run as events: {@code start (stdout | stderr)* artifact* result}, or {@code error} in the place of what did not come to be. Until the
 * sandbox is there it may still end in an ordinary answer; {@code start} is the first that is sent.
 *
 * <p>Output is sent from the thread that reads it from the guest. So a client that is slow, or takes nothing, holds up the program: the agent
 * reads no more of its output than the sockets on the way hold. The program's timeout goes on meanwhile, and the host's deadline ends a sandbox
 * whose last words are not taken by then. A client that is gone ends its run.
 */
final class ExecutionStream implements Reply.Streamed {
    private static final Logger log = LoggerFactory.getLogger(ExecutionStream.class);

    private final Request request;
    private final Caller caller;
    private final RecordedExecutions executions;
    private final AuditedCall call;
    private final RecordedExecutions.Source source;
    private final BodyMemory.Reservation memory;
    private final Settings settings;

    /**
     * What all streams share.
     *
     * @param heartbeat after how much silence a comment is sent
     * @param filesTimeout how long a sandbox may take to get its files, before the program's own time, and after it to give those that it made
     * @param answerTimeout how long the client may take for what is left when the run is over
     */
    record Settings(Duration heartbeat, Duration filesTimeout, Duration answerTimeout, ConnectionAge age) {}

    ExecutionStream(
            Request request,
            Caller caller,
            RecordedExecutions executions,
            AuditedCall call,
            RecordedExecutions.Source source,
            BodyMemory.Reservation memory,
            Settings settings) {
        this.request = request;
        this.caller = caller;
        this.executions = executions;
        this.call = call;
        this.source = source;
        this.memory = memory;
        this.settings = settings;
    }

    @Override
    public Optional<Answer> send(Response response) throws IOException {
        try (var client = new ClientWatch(request);
                var events = events(response, client.cancellation())) {
            var failure = run(client, events);
            if (failure.isPresent() && events.isNew()) {
                return Optional.of(Problem.answer(failure.get())
                        .with(ServerTiming.HEADER, ServerTiming.of(call.elapsed()))
                        .with(RateLimitHeaders.of(executions.quotas(caller))));
            }
            failure.ifPresent(e -> events.send("error", Problem.of(e)));
            events.end();
            return Optional.empty();
        }
    }

    private EventStream events(Response response, Cancellation cancellation) {
        return new EventStream(request, response, settings.age(), settings.heartbeat(), cancellation);
    }

    private Optional<EngineException> run(ClientWatch client, EventStream events) {
        var run = new Run(events);
        var watched = client.watching(source);
        try {
            run.ended(executions.execute(call, () -> run.asked(watched.read()), run, client.cancellation()));
            return Optional.empty();
        } catch (EngineException e) {
            log.debug("exec: {} {}", e.code(), e.getMessage());
            return Optional.of(e);
        } catch (RuntimeException e) {
            log.error("an event stream failed", e);
            return Optional.of(Router.defect());
        }
    }

    /** Makes events of what happens. */
    private final class Run implements ExecutionListener {
        private final EventStream events;
        private final Utf8Decoder stdout = new Utf8Decoder();
        private final Utf8Decoder stderr = new Utf8Decoder();
        private @Nullable ExecutionRequest asked;

        Run(EventStream events) {
            this.events = events;
        }

        ExecutionRequest asked(ExecutionRequest request) {
            asked = request;
            return request;
        }

        @Override
        public boolean takesOutput() {
            return true;
        }

        @Override
        public void started(String executionId) {
            var run = Objects.requireNonNull(asked);
            events.endWithin(
                    settings.filesTimeout().multipliedBy(2).plus(run.timeout()).plus(settings.answerTimeout()));
            events.header("X-Execution-Id", executionId);
            RateLimitHeaders.of(executions.quotas(caller)).forEach(events::header);
            events.send("start", StreamEvent.Start.of(executionId, run));
        }

        @Override
        public void stdout(byte[] bytes) {
            output("stdout", stdout.decode(bytes));
        }

        @Override
        public void stderr(byte[] bytes) {
            output("stderr", stderr.decode(bytes));
        }

        private void output(String stream, String text) {
            if (!text.isEmpty()) {
                events.send(stream, new StreamEvent.Output(text));
            }
        }

        /** Its record is kept. */
        void ended(ExecutionResult result) {
            memory.holdAnswer(result.artifacts().stream()
                    .mapToInt(artifact -> artifact.content().length)
                    .sum());
            events.endWithin(settings.answerTimeout());
            output("stdout", stdout.end(result.stdoutTruncated()));
            output("stderr", stderr.end(result.stderrTruncated()));
            result.artifacts().forEach(artifact -> events.send("artifact", ArtifactBody.of(artifact)));
            events.send("result", StreamEvent.Result.of(call.readTime(), result, call.elapsed()));
        }
    }
}
