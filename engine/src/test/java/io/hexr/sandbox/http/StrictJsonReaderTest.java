package io.hexr.sandbox.http;

import static io.hexr.sandbox.http.Parsing.parse;
import static io.hexr.sandbox.http.Parsing.refusal;
import static io.hexr.sandbox.http.Parsing.refusalWith;
import static io.hexr.sandbox.http.Parsing.strings;
import static io.hexr.sandbox.http.Parsing.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.exec.ErrorCode;
import io.hexr.sandbox.json.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a body must be before its fields count, tried through the parser that uses it. */
class StrictJsonReaderTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"code\":\"d\"",
                "\"args\":[],\"args\":[]",
                "\"env\":{\"A\":\"1\",\"A\":\"1\"}",
                "\"timeout\":1,\"timeout\":1",
                "\"files\":[{\"path\":\"a\",\"path\":\"b\",\"content\":\"\"}]"
            })
    void aNameThatAppearsTwiceIsRefused(String members) {
        assertThat(refusalWith(members).detail()).endsWith("appears twice.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "{\"code\":\"print(1)\", \"language\": ",
                "{\"code\":\"c",
                "{\"code\":\"c\",}",
                "{'code':'c'}",
                "{code:\"c\"}",
                "{\"timeout\":NaN}",
                "{\"timeout\":Infinity}",
                "{\"timeout\":-Infinity}",
                "{\"timeout\":+1}",
                "{\"timeout\":01}",
                "{\"timeout\":.5}",
                "{\"timeout\":5.}",
                "{\"timeout\":0x10}",
                "{\"timeout\":1e}",
                "{\"timeout\":tru}",
                "{\"code\":\"\n\"}",
                "{\"code\":\"\\x\"}",
                "{\"code\":\"\\u12g4\"}",
                "{} {}",
                "{}x",
                "{}]",
                "// c\n{}",
                "/* c */{}",
                "nul",
                "undefined",
                "\0{}",
                "{\"a\" \"b\"}",
                "{\"code\";\"c\"}"
            })
    void whatIsNoJsonIsRefusedAsSuch(String body) {
        // Some of these are read up to a member that is refused before the text stops being JSON.
        var refusal = refusal(body);

        assertThat(refusal.code()).as(refusal.detail()).isIn(ErrorCode.INVALID_JSON, ErrorCode.INVALID_REQUEST);
        assertThat(refusal.detail()).doesNotContain("tools.jackson", "Feature", "enable");
    }

    @Test
    void somethingAfterTheRequestIsRefused() {
        var refusal = refusal("{\"code\":\"c\",\"language\":\"bash\"} {\"x\":1}");

        assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_JSON);
        assertThat(refusal.detail()).isEqualTo("After the JSON value there is more at line 1, column 32.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "[]", "\"x\"", "5", "true", "[{\"code\":\"c\",\"language\":\"bash\"}]"})
    void aBodyThatIsNoObjectIsRefused(String body) {
        assertThat(refusal(body).detail()).startsWith("The body is ");
        assertThat(refusal(body).legal()).isEqualTo("a JSON object");
    }

    @Test
    void deepNestingIsRefusedAtOnce() {
        refusal("[".repeat(100_000) + "]".repeat(100_000));
        refusal("{\"a\":".repeat(100_000) + "1" + "}".repeat(100_000));
        refusal("{\"args\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}");
    }

    @Test
    void endlessNumbersAreRefused() {
        refusal("{\"timeout\":" + "9".repeat(1_000_000) + "}");
        refusal("{\"timeout\":1e" + "9".repeat(1_000_000) + "}");
        refusal("{\"timeout\":1e99999999999}");
        refusal("{\"memory_mb\":" + "9".repeat(1_000) + "}");
    }

    @Test
    void bytesThatAreNoUtf8AreRefusedWithTheirPlace() {
        byte[][] malformed = {
            {(byte) 0xff},
            {(byte) 0xc3},
            {(byte) 0xc0, (byte) 0x80}, // overlong NUL
            {(byte) 0xed, (byte) 0xa0, (byte) 0x80}, // a surrogate
            {(byte) 0xf4, (byte) 0x90, (byte) 0x80, (byte) 0x80}, // beyond U+10FFFF
            {(byte) 0xf0, (byte) 0x9f, (byte) 0x98},
        };
        for (byte[] bytes : malformed) {
            byte[] head = "{\"code\":\"".getBytes(StandardCharsets.UTF_8);
            byte[] body = Arrays.copyOf(head, head.length + bytes.length);
            System.arraycopy(bytes, 0, body, head.length, bytes.length);

            assertThat(refusal(body).code()).isEqualTo(ErrorCode.INVALID_JSON);
            assertThat(refusal(body).detail()).startsWith("The body is not UTF-8: the byte at offset 9 ");
        }
    }

    @Test
    void otherEncodingsOfUnicodeAreRefused() {
        String body = "{\"code\":\"c\",\"language\":\"bash\"}";

        assertThat(refusal(body.getBytes(StandardCharsets.UTF_16)).code()).isEqualTo(ErrorCode.INVALID_JSON);
        assertThat(refusal(body.getBytes(StandardCharsets.UTF_16LE)).code()).isEqualTo(ErrorCode.INVALID_JSON);
    }

    @Test
    void aByteOrderMarkIsSkipped() throws Exception {
        assertThat(parse("\uFEFF{\"code\":\"c\",\"language\":\"bash\"}").code()).isEqualTo("c");
    }

    @Test
    void aNameMayHoldPairsOfSurrogatesButNoHalves() throws Exception {
        assertThat(with("\"env\":{\"\\ud83d\\ude42\":\"\"}").env()).containsOnlyKeys("🙂");
        refusal("{\"env\":{\"\\ud83d\":\"\"}}");
        refusal("{\"env\":{\"\\ude42\":\"\"}}");
        refusal("{\"env\":{\"\\ud83dx\":\"\"}}");
        refusal("{\"\\ud800\":\"\"}");
    }

    @Test
    void aCallersOwnTextIsShownCutShortAndCanBeWritten() {
        var refusal = refusal("{\"x%s\":1}".formatted("🙂".repeat(30_000)));

        assertThat(refusal.field()).hasSizeLessThan(60);
        assertThat(Utf8.hasLoneSurrogate(refusal.detail())).isFalse();
        assertThat(Problem.answer(refusal).status()).isEqualTo(400);
    }
}
