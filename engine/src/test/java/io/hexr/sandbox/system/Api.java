package io.hexr.sandbox.system;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The engine's API as a caller sees it. */
public final class Api {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** Above what the slowest machine needs, and below the timeout of a program that only its caller may end. */
    private static final Duration HEALTH_DEADLINE = Duration.ofSeconds(60);

    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(30)).build();
    private final URI base;

    public Api(URI base) {
        this.base = base;
    }

    /** An answer: the status, and the body read as JSON. */
    public record Answer(int status, JsonNode body, HttpResponse<String> raw) {
        public String stdout() {
            return body.path("stdout").asString("");
        }

        public String stderr() {
            return body.path("stderr").asString("");
        }

        public int exitCode() {
            return body.path("exit_code").asInt(-1);
        }

        public boolean flag(String name) {
            return body.path(name).asBoolean(false);
        }
    }

    public Answer exec(String language, String code, double timeout) throws IOException, InterruptedException {
        return exec(Map.of("language", language, "code", code, "timeout", timeout));
    }

    public Answer exec(Map<String, ?> request) throws IOException, InterruptedException {
        return post(JSON.writeValueAsString(request));
    }

    public Answer post(String body) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(base.resolve("/api/v1/exec"))
                .header("Content-Type", "application/json")
                .timeout(Duration.ofMinutes(2))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build());
    }

    public Answer get(String path) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(base.resolve(path))
                .timeout(Duration.ofSeconds(30))
                .GET()
                .build());
    }

    /** Waits until so many calls run; a call runs until its sandbox is gone. */
    public void awaitRunning(int calls) throws IOException, InterruptedException {
        awaitHealth(
                "running calls: " + calls,
                health -> health.path("load").path("running").asInt(-1) == calls);
    }

    /** Waits until it says that it drains: the signal takes a moment. */
    public void awaitDraining() throws IOException, InterruptedException {
        awaitHealth("draining", health -> health.path("status").asString("").equals("draining"));
    }

    /** Waits until as many sandboxes wait as should, or more, as fewer are wanted again after a while; gives their number. */
    public int awaitFullPool() throws IOException, InterruptedException {
        var health = awaitHealth(
                "a full pool",
                body -> levels(body)
                        .allMatch(level -> level.path("refilling").asInt(-1) == 0
                                && level.path("ready").asInt(-1)
                                        >= level.path("target").asInt()));
        return levels(health).mapToInt(level -> level.path("ready").asInt()).sum();
    }

    private static Stream<JsonNode> levels(JsonNode health) {
        return health.path("pool").path("languages").valueStream();
    }

    JsonNode awaitHealth(String what, Predicate<JsonNode> condition) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + HEALTH_DEADLINE.toNanos();
        while (true) {
            var health = get("/health").body();
            if (condition.test(health)) {
                return health;
            }
            if (System.nanoTime() > deadline) {
                throw new IOException("not in time: %s; %s".formatted(what, health));
            }
            LockSupport.parkNanos(10_000_000);
        }
    }

    private Answer send(HttpRequest request) throws IOException, InterruptedException {
        var response = client.send(request, HttpResponse.BodyHandlers.ofString());
        return new Answer(response.statusCode(), JSON.readTree(response.body()), response);
    }
}
