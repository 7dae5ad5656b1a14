package io.hexr.sandbox.client;

import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscribers;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * What is sent and what an answer means. It knows no sockets and no time.
 *
 * @param body how the answer is taken: as a whole, or as it comes when it is of the type that is wanted
 * @param results statuses of answers that are results
 */
record Exchange<R>(
        HttpRequest request,
        BodyHandler<InputStream> body,
        Set<Integer> results,
        String mediaType,
        Function<InputStream, R> reader) {
    static final String JSON = "application/json";
    static final String EVENTS = "text/event-stream";
    private static final String PROBLEM = "application/problem+json";

    static Exchange<ExecutionResult> exec(URI service, ExecutionRequest request) {
        return new Exchange<>(
                post(service, request, JSON),
                info -> whole(),
                Set.of(200),
                JSON,
                in -> Json.read(in, ExecutionResult.class));
    }

    static Exchange<ExecutionStream> stream(URI service, ExecutionRequest request, Deadline deadline) {
        return new Exchange<>(
                post(service, request, EVENTS),
                info -> mediaType(info.headers()).equals(EVENTS) ? BodySubscribers.ofInputStream() : whole(),
                Set.of(200),
                EVENTS,
                in -> new ExecutionStream(in, deadline));
    }

    /** A service that does not run code says so with 503, which is an answer here and no reason to try again. */
    static Exchange<Health> health(URI service) {
        var request = HttpRequest.newBuilder(URI.create(service + "/health"))
                .header("Accept", JSON)
                .build();
        return new Exchange<>(request, info -> whole(), Set.of(200, 503), JSON, in -> Json.read(in, Health.class));
    }

    private static HttpRequest post(URI service, ExecutionRequest request, String accept) {
        return HttpRequest.newBuilder(URI.create(service + "/api/v1/exec"))
                .header("Content-Type", JSON)
                .header("Accept", accept)
                .POST(BodyPublishers.ofByteArray(Json.write(request)))
                .build();
    }

    private static HttpResponse.BodySubscriber<InputStream> whole() {
        return new BoundedBody(BoundedBody.MAX_BYTES);
    }

    /** The result that an answer holds; throws the service's error when it holds one. */
    R read(HttpResponse<InputStream> response) throws SandboxException {
        int status = response.statusCode();
        var type = mediaType(response.headers());
        if (results.contains(status) && type.equals(mediaType)) {
            return reader.apply(response.body());
        }
        if (status == 200 || status == 204) {
            throw new InvalidAnswerException(
                    "%s answered with %s; does it lead to a Sandbox Engine?"
                            .formatted(request.uri(), type.isEmpty() ? "no content type" : type),
                    null);
        }
        var problem = type.equals(PROBLEM) ? problem(response.body()) : JsonNodeFactory.instance.missingNode();
        throw ServiceException.of(Problem.of(status, problem), retryAfter(response.headers()));
    }

    private static JsonNode problem(InputStream body) {
        try {
            return Json.object(body);
        } catch (InvalidAnswerException e) {
            return JsonNodeFactory.instance.missingNode();
        }
    }

    private static String mediaType(HttpHeaders headers) {
        return headers.firstValue("Content-Type")
                .orElse("")
                .split(";", -1)[0]
                .strip()
                .toLowerCase(Locale.ROOT);
    }

    /** Seconds only: the service sends no dates (RFC 9110, section 10.2.3 allows both). */
    private static @Nullable Duration retryAfter(HttpHeaders headers) {
        var text = headers.firstValue("Retry-After").orElse("");
        return text.matches("[0-9]{1,9}") ? Duration.ofSeconds(Long.parseLong(text)) : null;
    }
}
