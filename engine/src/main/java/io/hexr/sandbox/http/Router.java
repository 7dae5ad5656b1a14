package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import io.hexr.sandbox.identity.AuthenticationException;
import io.hexr.sandbox.identity.Authenticator;
import io.hexr.sandbox.identity.CallerIdentity;
import io.hexr.sandbox.identity.Header;
import io.hexr.sandbox.policy.Caller;
import io.hexr.sandbox.policy.PolicySource;
import io.hexr.sandbox.telemetry.metrics.HttpMetrics;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives every request to the endpoint of its path; whatever goes wrong becomes a problem document. */
final class Router extends Handler.Abstract {
    private static final Logger log = LoggerFactory.getLogger(Router.class);

    private final Authenticator authenticator;
    private final PolicySource policy;
    private final AllowedOrigins origins;
    private final Map<String, Endpoint> endpoints;
    private final BodyMemory memory;
    private final AnswerWriter writer;
    private final HttpMetrics metrics;

    Router(
            Authenticator authenticator,
            PolicySource policy,
            AllowedOrigins origins,
            List<Endpoint> endpoints,
            BodyMemory memory,
            AnswerWriter writer,
            HttpMetrics metrics) {
        this.authenticator = authenticator;
        this.policy = policy;
        this.origins = origins;
        this.endpoints = endpoints.stream().collect(Collectors.toUnmodifiableMap(Endpoint::path, Function.identity()));
        this.memory = memory;
        this.writer = writer;
        this.metrics = metrics;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        try (var reservation = memory.open()) {
            var answer = complete(reply(request, reservation), response);
            if (answer.isPresent()) {
                reservation.holdAnswer(answer.get().body().length);
                writer.write(request, response, answer.get());
            }
            callback.succeeded();
        } catch (IOException e) {
            // The client is gone or was cut off: its own affair, and no reason for the stack trace that Jetty logs for
            // other exceptions.
            log.debug("answer not taken: {}", e.getMessage());
            callback.failed(new EofException(e));
        }
        return true;
    }

    /** Empty when the answer is sent already. */
    private static Optional<Answer> complete(Reply reply, Response response) throws IOException {
        return switch (reply) {
            case Answer answer -> Optional.of(answer);
            case Reply.Streamed streamed -> streamed.send(response);
        };
    }

    private Reply reply(Request request, BodyMemory.Reservation reservation) {
        String path = Request.getPathInContext(request);
        var endpoint = endpoints.get(path);
        if (endpoint == null) {
            String paths = endpoints.keySet().stream().sorted().collect(Collectors.joining(", "));
            return Problem.answer(new EngineException(
                    ErrorCode.NOT_FOUND, "There is nothing at this path. Paths: %s.".formatted(paths)));
        }
        if (!endpoint.methods().contains(request.getMethod())) {
            String allowed = String.join(", ", endpoint.methods());
            return Problem.answer(new EngineException(
                            ErrorCode.METHOD_NOT_ALLOWED, "%s takes only %s.".formatted(path, allowed)))
                    .with("Allow", allowed);
        }
        try {
            return endpoint.isOpen()
                    ? endpoint.handle(request, Caller.ANONYMOUS, reservation)
                    : admit(endpoint, request, reservation);
        } catch (EngineException e) {
            log.debug("{} {}: {} {}", request.getMethod(), path, e.code(), e.getMessage());
            return Problem.answer(e);
        } catch (RuntimeException e) {
            log.error("{} {} failed", request.getMethod(), path, e);
            return Problem.answer(defect());
        }
    }

    /** What a caller is told of an exception that nobody expected. */
    static EngineException defect() {
        return new EngineException(
                ErrorCode.INTERNAL, "The engine has a defect; its log says which. The code may have been run.");
    }

    private Reply admit(Endpoint endpoint, Request request, BodyMemory.Reservation reservation) throws EngineException {
        CallerIdentity identity;
        try {
            identity = authenticate(request);
        } catch (AuthenticationException e) {
            metrics.unproven(e.kind());
            log.info("{} from {} refused: {}", endpoint.path(), Request.getRemoteAddr(request), e.reason());
            // RFC 9110, section 15.5.2 wants a challenge; there is no registered scheme for certificates.
            return endpoint.refused(request, null, new EngineException(ErrorCode.UNAUTHENTICATED, e.reason()))
                    .with("WWW-Authenticate", "SPIFFE");
        }
        var caller = policy.current().admit(identity);
        if (caller.isEmpty()) {
            return endpoint.refused(
                    request,
                    identity,
                    new EngineException(
                            ErrorCode.FORBIDDEN, "No rule of the policy is for %s.".formatted(identity.name())));
        }
        if (endpoint.runsCode()) {
            try {
                origins.requireAllowed(request.getHeaders());
            } catch (EngineException e) {
                return endpoint.refused(request, identity, e);
            }
        }
        return endpoint.handle(request, caller.get(), reservation);
    }

    private CallerIdentity authenticate(Request request) throws AuthenticationException {
        var headers = request.getHeaders().stream()
                .map(field -> new Header(field.getName(), field.getValue() == null ? "" : field.getValue()))
                .toList();
        return authenticator.authenticate(PeerOf.request(request), headers);
    }
}
