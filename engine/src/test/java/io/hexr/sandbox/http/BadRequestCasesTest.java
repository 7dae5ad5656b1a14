package io.hexr.sandbox.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The behaviour cases about bad requests need no sandbox: they are told to the real server over a socket. */
@Timeout(60)
class BadRequestCasesTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Path CASES = Path.of("src/test/cases/cases-open.jsonl");

    private static ServerFixture fixture;

    @BeforeAll
    static void start() throws Exception {
        fixture = new ServerFixture();
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    record Case(String id, JsonNode json) {
        @Override
        public String toString() {
            return id;
        }
    }

    static Stream<Case> badRequests() throws IOException {
        var cases = Files.readAllLines(CASES).stream()
                .map(JSON::readTree)
                .filter(node -> node.path("kind").asString().equals("bad-request"))
                .map(node -> new Case(node.path("id").asString(), node))
                .toList();
        assertThat(cases).hasSizeGreaterThan(30);
        return cases.stream();
    }

    @ParameterizedTest
    @MethodSource("badRequests")
    void isRefusedAsTheCaseWantsIt(Case it) throws IOException {
        int before = fixture.engine.requests.size();
        try (var client = fixture.connect()) {
            client.send(request(it.json()));
            var reply = client.receive();

            assertStatus(it.json().path("expect").path("status"), reply.status());
            assertThat(reply.header("Content-Type")).isEqualTo("application/problem+json");
            assertThat(reply.json().path("code").asString()).isNotEmpty();
        }
        assertThat(fixture.engine.requests).as("no sandbox was asked for").hasSize(before);
    }

    private static byte[] request(JsonNode it) {
        byte[] body = body(it);
        String type = it.path("headers").path("Content-Type").asString("application/json");
        byte[] head = """
                %s %s HTTP/1.1\r
                Host: x\r
                Content-Type: %s\r
                Content-Length: %d\r
                \r
                """.formatted(
                        it.path("method").asString("POST"), it.path("path").asString("/api/v1/exec"), type, body.length)
                .getBytes(StandardCharsets.US_ASCII);
        byte[] all = new byte[head.length + body.length];
        System.arraycopy(head, 0, all, 0, head.length);
        System.arraycopy(body, 0, all, head.length, body.length);
        return all;
    }

    private static byte[] body(JsonNode it) {
        if (it.has("raw_body_b64")) {
            return Base64.getDecoder().decode(it.path("raw_body_b64").asString());
        }
        String text = it.has("raw_body")
                ? expand(it.path("raw_body"))
                : it.path("request").toString();
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A string, or one of the shorthands that the cases have for long ones. */
    private static String expand(JsonNode node) {
        if (node.has("$repeat")) {
            return expand(node.path("$repeat").path(0))
                    .repeat(node.path("$repeat").path(1).asInt());
        }
        if (node.has("$concat")) {
            var all = new StringBuilder();
            node.path("$concat").forEach(part -> all.append(expand(part)));
            return all.toString();
        }
        return node.asString();
    }

    private static void assertStatus(JsonNode expected, int status) {
        if (expected.isNumber()) {
            assertThat(status).isEqualTo(expected.asInt());
        }
        if (expected.has("gte")) {
            assertThat(status)
                    .isBetween(
                            expected.path("gte").asInt(), expected.path("lte").asInt());
        }
        if (expected.has("one_of")) {
            assertThat(expected.path("one_of").toString()).contains(Integer.toString(status));
        }
    }
}
