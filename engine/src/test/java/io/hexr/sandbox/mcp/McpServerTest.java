package io.hexr.sandbox.mcp;

import static io.hexr.sandbox.mcp.Conversation.NO_HEADERS;
import static io.hexr.sandbox.mcp.Conversation.headers;
import static io.hexr.sandbox.mcp.Conversation.stateless;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The protocol itself, as both kinds of clients speak it. */
class McpServerTest {
    private final Conversation conversation = new Conversation();

    @ParameterizedTest
    @CsvSource({
        "2025-11-25, 2025-11-25",
        "2025-06-18, 2025-06-18",
        "2024-11-05, 2025-11-25",
        "2026-07-28, 2025-11-25",
        "tomorrow, 2025-11-25"
    })
    void aHandshakeAgreesOnTheVersionAskedForOrElseTheNewestThatHasOne(String asked, String agreed) {
        var heard = conversation.say(NO_HEADERS, """
                {"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"%s","capabilities":{"experimental":\
                {"x":[[[[[[[[[[{}]]]]]]]]]]}},"clientInfo":{"name":"c","version":"1"}}}""".formatted(asked).getBytes(UTF_8));

        assertThat(heard.status()).isEqualTo(200);
        assertThat(heard.message().path("id").asString()).isEqualTo("a");
        assertThat(heard.result()).hasToString("""
                {"protocolVersion":"%s","capabilities":{"tools":{}},\
                "serverInfo":{"name":"hexr-sandbox","title":"Hexr Sandbox Engine","version":"1.2.3"}}""".formatted(agreed));
    }

    @Test
    void aHandshakeWithoutAVersionIsRefused() {
        assertThat(conversation.ask("initialize", "{}").error()).isEqualTo(-32602);
    }

    @Test
    void pingIsAnsweredWithNothing() {
        assertThat(conversation.ask("ping", "{}").result()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"notifications/initialized", "notifications/cancelled", "notifications/unheard-of"})
    void notificationsAreTakenWithoutAnAnswer(String method) {
        var heard = conversation.say(
                headers("2025-11-25", method),
                "{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":{\"requestId\":1}}"
                        .formatted(method)
                        .getBytes(UTF_8));

        assertThat(heard.status()).isEqualTo(202);
        assertThat(heard.message().isMissingNode()).isTrue();
    }

    @Test
    void aNotificationOfAnUnknownVersionIsRefused() {
        var heard = conversation.say(
                headers("1900-01-01", "x"),
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}".getBytes(UTF_8));

        assertThat(heard.status()).isEqualTo(400);
        assertThat(heard.error()).isEqualTo(-32022);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-32700 | {",
                "-32700 | ''",
                "-32700 | {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} {}",
                "-32700 | {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"x\":01}}",
                "-32600 | 5",
                "-32600 | [{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
                "-32600 | {\"id\":1,\"method\":\"ping\"}",
                "-32600 | {\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
                "-32600 | {\"jsonrpc\":\"2.0\",\"id\":1}",
                "-32600 | {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
                "-32600 | {\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}",
                "-32600 | {\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
                "-32600 | {\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}",
                "-32600 | {\"jsonrpc\":\"2.0\",\"id\":1e99,\"method\":\"ping\"}",
                "-32600 | {\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",
                "-32600 | {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}",
                "-32600 | {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}"
            })
    void whatIsNoMessageIsRefusedWithoutAnId(int code, String body) {
        var heard = conversation.say(NO_HEADERS, body.getBytes(UTF_8));

        assertThat(heard.status()).isEqualTo(400);
        assertThat(heard.error()).isEqualTo(code);
        assertThat(heard.message().path("id").isMissingNode()).isTrue();
        assertThat(heard.message().path("error").path("message").asString())
                .isNotBlank()
                .hasSizeLessThan(300);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-9223372036854775808", "9223372036854775807", "\"\"", "\"🙂\""})
    void anIdComesBackAsItWas(String id) {
        var heard = conversation.say(
                NO_HEADERS,
                "{\"method\":\"ping\",\"jsonrpc\":\"2.0\",\"id\":%s}"
                        .formatted(id)
                        .getBytes(UTF_8));

        assertThat(heard.message().path("id")).hasToString(id);
    }

    @Test
    void anIdThatIsTooLongIsRefused() {
        String id = "x".repeat(257);

        assertThat(conversation
                        .say(
                                NO_HEADERS,
                                "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"method\":\"ping\"}"
                                        .formatted(id)
                                        .getBytes(UTF_8))
                        .error())
                .isEqualTo(-32600);
    }

    @Test
    void whoMayAskWithoutAHandshakeIsToldWhatThereIs() {
        var result = conversation
                .say(headers("2026-07-28", "server/discover"), stateless("server/discover", ""))
                .result();

        assertThat(result).hasToString("""
                {"supportedVersions":["2026-07-28","2025-11-25","2025-06-18"],"capabilities":{"tools":{}},"ttlMs":300000,\
                "cacheScope":"private","resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{\
                "name":"hexr-sandbox","title":"Hexr Sandbox Engine","version":"1.2.3"}}}""");
    }

    @Test
    void everyResultWithoutHandshakeSaysThatItIsCompleteAndWhose() {
        for (String method : List.of("server/discover", "tools/list")) {
            var result = conversation
                    .say(headers("2026-07-28", method), stateless(method, ""))
                    .result();

            assertThat(result.path("resultType").asString()).isEqualTo("complete");
            assertThat(result.path("_meta")
                            .path("io.modelcontextprotocol/serverInfo")
                            .path("version")
                            .asString())
                    .isEqualTo("1.2.3");
            assertThat(result.path("ttlMs").isInt()).isTrue();
        }
    }

    @Test
    void aCallWithoutHandshakeIsRun() {
        var heard = conversation.say(
                headers("2026-07-28", "tools/call", "execute_code"),
                stateless("tools/call", "\"name\":\"execute_code\",\"arguments\":{\"code\":\"é\"}"));

        assertThat(heard.result().path("resultType").asString()).isEqualTo("complete");
        assertThat(conversation.arguments).isEqualTo("{\"code\":\"é\"}");
    }

    @Test
    void aNameInAHeaderMayBeEncoded() {
        var call = stateless("tools/call", "\"name\":\"execute_code\"");

        // printf execute_code | base64
        assertThat(conversation
                        .say(headers("2026-07-28", "tools/call", "=?base64?ZXhlY3V0ZV9jb2Rl?="), call)
                        .status())
                .isEqualTo(200);
        assertThat(conversation
                        .say(headers("2026-07-28", "tools/call", "=?base64?ZXhl!?="), call)
                        .error())
                .isEqualTo(-32020);
        assertThat(conversation
                        .say(headers("2026-07-28", "tools/call", "=?base64?="), call)
                        .error())
                .isEqualTo(-32020);
    }

    @Test
    void headersThatDoNotSayWhatTheMessageSaysAreRefused() {
        var list = stateless("tools/list", "");
        var call = stateless("tools/call", "\"name\":\"execute_code\"");
        var twice = List.of("2026-07-28", "2026-07-28");

        assertThat(List.of(
                        conversation.say(NO_HEADERS, list),
                        conversation.say(headers("2025-11-25", "tools/list"), list),
                        conversation.say(headers("2026-07-28", "tools/call"), list),
                        conversation.say(headers("2026-07-28", "Tools/List"), list),
                        conversation.say(new McpHeaders(List.of("2026-07-28"), List.of(), List.of()), list),
                        conversation.say(new McpHeaders(twice, List.of("tools/list"), List.of()), list),
                        conversation.say(headers("2026-07-28", "tools/call"), call),
                        conversation.say(headers("2026-07-28", "tools/call", "execute_sql"), call),
                        conversation.say(headers("2026-07-28", "tools/call", "execute_code", "execute_code"), call)))
                .allSatisfy(heard -> {
                    assertThat(heard.status()).isEqualTo(400);
                    assertThat(heard.error()).as(heard.toString()).isEqualTo(-32020);
                    assertThat(heard.message().path("id").asInt()).isEqualTo(7);
                });
        assertThat(conversation.arguments).isNull();
    }

    @Test
    void anUnknownVersionIsRefusedWithThoseThatAreKnown() {
        var heard = conversation.say(headers("2030-01-01", "tools/list"), stateless("tools/list", "", "2030-01-01"));

        assertThat(heard.status()).isEqualTo(400);
        assertThat(heard.error()).isEqualTo(-32022);
        assertThat(heard.message().path("error").path("data"))
                .hasToString(
                        "{\"supported\":[\"2026-07-28\",\"2025-11-25\",\"2025-06-18\"],\"requested\":\"2030-01-01\"}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"_meta\":{}}",
                "{\"_meta\":{\"io.modelcontextprotocol/clientCapabilities\":{}}}",
                "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}",
                "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":5}}",
                "{\"_meta\":5}"
            })
    void aRequestThatDoesNotSayWhatItSpeaksIsMalformed(String params) {
        var heard = conversation.say(
                headers("2026-07-28", "tools/list"),
                "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\",\"params\":%s}"
                        .formatted(params)
                        .getBytes(UTF_8));

        assertThat(heard.status()).isEqualTo(400);
        assertThat(heard.error()).isEqualTo(-32602);
        assertThat(heard.message().path("id").asInt()).isEqualTo(7);
    }

    @Test
    void aMethodThatARevisionDoesNotHaveIsNotFound() {
        for (String method : List.of("initialize", "ping", "resources/list", "subscriptions/listen")) {
            var heard = conversation.say(headers("2026-07-28", method), stateless(method, ""));
            assertThat(heard.status()).isEqualTo(404);
            assertThat(heard.error()).isEqualTo(-32601);
        }
        for (String method : List.of("server/discover", "logging/setLevel", "prompts/list")) {
            var heard = conversation.ask(method, "{}");
            assertThat(heard.status()).isEqualTo(200);
            assertThat(heard.error()).isEqualTo(-32601);
        }
    }

    @Test
    void anotherToolIsAnErrorOfTheProtocol() {
        var old = conversation.ask("tools/call", "{\"name\":\"execute_sql\"}");
        var stateless = conversation.say(
                headers("2026-07-28", "tools/call", "execute_sql"),
                stateless("tools/call", "\"name\":\"execute_sql\""));

        assertThat(old.status()).isEqualTo(200);
        assertThat(stateless.status()).isEqualTo(400);
        assertThat(List.of(old.error(), stateless.error())).containsOnly(-32602);
        assertThat(conversation.ask("tools/call", "{}").error()).isEqualTo(-32602);
        assertThat(conversation
                        .ask("tools/call", "{\"name\":\"execute_code\",\"arguments\":[]}")
                        .error())
                .isEqualTo(-32602);
    }
}
