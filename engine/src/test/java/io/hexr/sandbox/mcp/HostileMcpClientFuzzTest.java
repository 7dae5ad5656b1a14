package io.hexr.sandbox.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.hexr.sandbox.json.StrictJsonReader;
import java.util.List;

/** Any bytes get an answer of the protocol. {@code JAZZER_FUZZ=1} searches; else the inputs found so far are replayed. */
class HostileMcpClientFuzzTest {
    private static final List<Integer> ERRORS = List.of(-32700, -32600, -32601, -32602, -32020, -32022);

    @FuzzTest(maxDuration = "60s")
    void anyBodyGetsAResultOrAnErrorThatIsDefined(byte[] body) {
        for (String version : List.of("2025-11-25", "2026-07-28")) {
            var conversation = new Conversation();
            conversation.runner = arguments -> {
                StrictJsonReader.read(arguments, json -> json.object("", "an object", _ -> json.skip()));
                return Conversation.result(0, "");
            };
            var heard = conversation.say(Conversation.headers(version, "tools/call", "execute_code"), body);
            var message = heard.message();

            assertThat(heard.status()).isIn(200, 202, 400, 404);
            assertThat(heard.status() == 202).isEqualTo(message.isMissingNode());
            if (message.has("result")) {
                assertThat(heard.status()).isEqualTo(200);
            } else if (heard.status() != 202) {
                assertThat(message.path("error").path("code").asInt()).isIn(ERRORS);
                assertThat(message.toString().getBytes(UTF_8)).hasSizeLessThan(2_000);
            }
        }
    }
}
