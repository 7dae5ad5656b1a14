package io.hexr.sandbox.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** MCP over the server of the API: who may send what, and that code is run by the API's rules. */
@Timeout(60)
class McpEndpointTest {
    private static final String JSON = "Content-Type: application/json\r\n";

    private ServerFixture fixture;

    @BeforeEach
    void start() throws Exception {
        fixture = new ServerFixture();
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    private RawClient.Reply post(String headers, String body) throws Exception {
        return fixture.exchange("POST /mcp HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n%s"
                .formatted(headers, body.getBytes(UTF_8).length, body));
    }

    private RawClient.Reply call(String arguments) throws Exception {
        return post(JSON, """
                {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_code","arguments":%s}}""".formatted(arguments));
    }

    @Test
    void aCallIsRunAsTheApiWouldRunIt() throws Exception {
        var reply = call(
                "{\"code\":\"hi\",\"language\":\"bash\",\"timeout\":2,\"files\":[{\"path\":\"a\",\"content\":\"b\"}]}");

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.header("Content-Type")).isEqualTo("application/json");
        assertThat(reply.json().at("/result/structuredContent/stdout").asString())
                .isEqualTo("hi");
        var request = fixture.engine.requests.element();
        assertThat(request.timeout()).hasSeconds(2);
        assertThat(request.files()).hasSize(1);
        assertThat(request.caller().name()).isEqualTo("anonymous");
    }

    @Test
    void argumentsAreHeldToTheRulesOfTheApi() throws Exception {
        var reply = call("{\"code\":\"\",\"language\":\"ruby\"}");

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.json().at("/result/isError").asBoolean()).isTrue();
        assertThat(reply.json().at("/result/content/0/text").asString())
                .isEqualTo("invalid_request: There is no language \"ruby\". Legal is: python, javascript, bash.");
        assertThat(call("{\"code\":\"\",\"langauge\":\"bash\"}").body()).contains("Did you mean \\\"language\\\"?");
        assertThat(call("{\"code\":\"\",\"code\":\"\"}").body()).contains("appears twice");
        assertThat(fixture.engine.requests).isEmpty();
    }

    @Test
    void whatTheEngineRefusesIsAnErrorOfTheTool() throws Exception {
        fixture.engine.behaviour = request -> {
            throw EngineException.overQuota("concurrent", "This caller may have 1 calls at once.", "1 calls at once");
        };
        var reply = call("{\"code\":\"\",\"language\":\"bash\"}");

        assertThat(reply.json().at("/result/isError").asBoolean()).isTrue();
        assertThat(reply.json()
                        .path("result")
                        .path("_meta")
                        .path("io.hexr.sandbox/problem")
                        .path("code")
                        .asString())
                .isEqualTo(ErrorCode.RATE_LIMITED.id());
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "DELETE", "PUT", "OPTIONS"})
    void thereIsNoStreamAndNoSession(String method) throws Exception {
        var reply = fixture.exchange(method + " /mcp HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n");

        assertThat(reply.status()).isEqualTo(405);
        assertThat(reply.header("Allow")).isEqualTo("POST");
    }

    @Test
    void aNotificationIsTakenWithoutContent() throws Exception {
        var reply = post(JSON, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");

        assertThat(reply.status()).isEqualTo(202);
        assertThat(reply.body()).isEmpty();
        assertThat(reply.headers()).doesNotContainKey("content-type");
    }

    @Test
    void headersReachTheProtocol() throws Exception {
        var reply = post(
                JSON + "mcp-protocol-version: 1900-01-01\r\n", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.json().at("/error/data/requested").asString()).isEqualTo("1900-01-01");
    }

    @Test
    void whatIsWrongBeforeTheMessageIsReadIsAProblemAsEverywhere() throws Exception {
        assertThat(post("Content-Type: text/plain\r\n", "{}")
                        .json()
                        .path("code")
                        .asString())
                .isEqualTo("unsupported_media_type");
        try (var small = new ServerFixture("MAX_REQUEST_BYTES", "1KiB")) {
            var reply = small.exchange("POST /mcp HTTP/1.1\r\nHost: x\r\n%sContent-Length: 2000\r\n\r\n%s"
                    .formatted(JSON, " ".repeat(2_000)));
            assertThat(reply.json().path("code").asString()).isEqualTo("body_too_large");
        }
    }
}
