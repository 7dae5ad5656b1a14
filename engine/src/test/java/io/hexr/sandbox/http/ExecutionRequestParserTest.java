package io.hexr.sandbox.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hexr.sandbox.config.ConfigException;
import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import io.hexr.sandbox.exec.ExecutionRequest;
import io.hexr.sandbox.guest.Language;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExecutionRequestParserTest {
    private static final ExecutionRequestParser PARSER = parser();

    static ExecutionRequestParser parser(String... pairs) {
        try {
            var config = ServerFixture.config(pairs);
            return new ExecutionRequestParser(config.requests(), config.sandboxes());
        } catch (ConfigException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static ExecutionRequest parse(String body) throws EngineException {
        return PARSER.parse(body.getBytes(StandardCharsets.UTF_8));
    }

    /** A request that is right but for these members. */
    private static ExecutionRequest with(String members) throws EngineException {
        return parse("{\"code\":\"c\",\"language\":\"python\"," + members + "}");
    }

    private static EngineException refusal(String body) {
        return refusal(body.getBytes(StandardCharsets.UTF_8));
    }

    private static EngineException refusal(byte[] body) {
        var refusal = catchThrowableOfType(EngineException.class, () -> PARSER.parse(body));
        assertThat(refusal).as("refused").isNotNull();
        assertThat(refusal.code().status()).isEqualTo(400);
        assertThat(refusal.detail()).isNotBlank().hasSizeLessThan(300);
        return refusal;
    }

    private static EngineException refusalWith(String members) {
        var refusal = refusal("{\"code\":\"c\",\"language\":\"python\"," + members + "}");
        assertThat(refusal.code()).as(refusal.detail()).isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(refusal.field()).isNotBlank();
        assertThat(refusal.legal()).isNotBlank();
        return refusal;
    }

    @Test
    void whatIsLeftOutGetsItsDefault() throws Exception {
        var request = parse("{\"code\":\"\",\"language\":\"bash\"}");

        assertThat(request.code()).isEmpty();
        assertThat(request.language()).isEqualTo(Language.BASH);
        assertThat(request.timeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(request.memoryMb()).isEqualTo(256);
        assertThat(request.args()).isEmpty();
        assertThat(request.env()).isEmpty();
        assertThat(request.stdin()).isEmpty();
        assertThat(request.files()).isEmpty();
        assertThat(request.artifactGlobs()).contains("**/*.png", "**/*.svg");
    }

    @Test
    void everyFieldReachesItsPlace() throws Exception {
        var request = parse("""
                {"code":"print(1)\\n\\u0000", "language":"javascript", "timeout":2.5, "memory_mb":64,
                 "args":["-x","","\\u00e9 \\ud83d\\ude42"], "env":{"B":"2","A":"","C":"x=y"}, "stdin":"in\\n",
                 "files":[{"path":"a/b.txt","content":"t"},{"path":"c","content_base64":"AP8="},{"content":"","path":"-\\\\ \\n"}],
                 "artifacts":["*.csv","out/**"]}
                """);

        assertThat(request.code()).isEqualTo("print(1)\n\0");
        assertThat(request.language()).isEqualTo(Language.JAVASCRIPT);
        assertThat(request.timeout()).isEqualTo(Duration.ofMillis(2_500));
        assertThat(request.memoryMb()).isEqualTo(64);
        assertThat(request.args()).containsExactly("-x", "", "é 🙂");
        assertThat(request.env()).containsExactly(Map.entry("B", "2"), Map.entry("A", ""), Map.entry("C", "x=y"));
        assertThat(request.stdin()).isEqualTo("in\n".getBytes(StandardCharsets.UTF_8));
        assertThat(request.files())
                .extracting(f -> f.path() + "=" + Arrays.toString(f.content()))
                .containsExactly("a/b.txt=[116]", "c=[0, -1]", "-\\ \n=[]");
        assertThat(request.artifactGlobs()).containsExactly("*.csv", "out/**");
    }

    @ParameterizedTest
    @CsvSource({
        "1.5, 1500",
        "30, 30000",
        "30.0, 30000",
        "1e1, 10000",
        "0.001, 1",
        "3E-2, 30",
        "30.000000000000000000000, 30000"
    })
    void timeoutsAreNumbersOfSeconds(String timeout, long milliseconds) throws Exception {
        assertThat(with("\"timeout\":" + timeout).timeout()).isEqualTo(Duration.ofMillis(milliseconds));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "-1",
                "-0.0",
                "0.0009",
                "30.001",
                "31",
                "1e999999999",
                "1e-999999999",
                "-1e999999999",
                "\"5\"",
                "true",
                "null",
                "[5]",
                "{}"
            })
    void otherTimeoutsAreRefused(String timeout) {
        var refusal = refusalWith("\"timeout\":" + timeout);

        assertThat(refusal.field()).isEqualTo("timeout");
        assertThat(refusal.legal()).isEqualTo("a number of seconds from 0.001 to 30");
    }

    @Test
    void theLegalTimeoutFollowsTheConfiguration() {
        var refusal = catchThrowableOfType(
                EngineException.class,
                () -> parser("MAX_EXECUTION_TIME", "1500ms").parse("{\"timeout\":2}".getBytes(StandardCharsets.UTF_8)));

        assertThat(refusal.legal()).isEqualTo("a number of seconds from 0.001 to 1.5");
    }

    @ParameterizedTest
    @CsvSource({"16, 16", "512, 512", "256.0, 256", "2.56e2, 256"})
    void memoryIsAWholeNumberHoweverItIsWritten(String memory, int mb) throws Exception {
        assertThat(with("\"memory_mb\":" + memory).memoryMb()).isEqualTo(mb);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "15",
                "15.9",
                "513",
                "512.5",
                "64.5",
                "-64",
                "99999999999999999999999999",
                "1e999999999",
                "\"64\"",
                "false",
                "null",
                "[64]"
            })
    void otherMemoryIsRefused(String memory) {
        var refusal = refusalWith("\"memory_mb\":" + memory);

        assertThat(refusal.field()).isEqualTo("memory_mb");
        assertThat(refusal.legal()).isEqualTo("an integer from 16 to 512");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"language\":\"python\"} | code | code is missing.",
                "{\"code\":\"c\"} | language | language is missing.",
                "{} | code | code is missing.",
                "{\"code\":5,\"language\":\"python\"} | code | code is a number.",
                "{\"code\":null,\"language\":\"python\"} | code | code is null.",
                "{\"code\":[\"c\"],\"language\":\"python\"} | code | code is an array.",
                "{\"code\":\"c\",\"language\":\"cobol\"} | language | There is no language \"cobol\".",
                "{\"code\":\"c\",\"language\":\"Python\"} | language | There is no language \"Python\".",
                "{\"code\":\"c\",\"language\":true} | language | language is a boolean.",
            })
    void codeAndLanguageAreRequired(String body, String field, String detail) {
        var refusal = refusal(body);

        assertThat(refusal.field()).isEqualTo(field);
        assertThat(refusal.detail()).isEqualTo(detail);
        if (field.equals("language")) {
            assertThat(refusal.legal()).isEqualTo("python, javascript, bash");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "timeuot | timeout",
                "timeout_s | timeout",
                "Timeout | timeout",
                "memory | ",
                "memory-mb | memory_mb",
                "arg | args",
                "file | files",
                "lang | ",
                "xyz | ",
            })
    void anUnknownFieldIsRefusedWithTheOneThatWasProbablyMeant(String given, String meant) {
        var refusal = refusalWith("\"%s\":1".formatted(given));

        assertThat(refusal.detail())
                .isEqualTo("There is no field \"%s\".%s"
                        .formatted(given, meant == null ? "" : " Did you mean \"%s\"?".formatted(meant)));
        assertThat(refusal.legal()).isEqualTo("code, language, timeout, memory_mb, args, env, stdin, files, artifacts");
    }

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
    @CsvSource(
            delimiter = '|',
            value = {
                "\"args\":\"--x\" | args",
                "\"args\":{} | args",
                "\"args\":null | args",
                "\"args\":[\"a\",1] | args[1]",
                "\"args\":[null] | args[0]",
                "\"args\":[[\"a\"]] | args[0]",
                "\"args\":[\"a\\u0000b\"] | args[0]",
                "\"args\":[\"\\ud800\"] | args[0]",
                "\"env\":[\"A=1\"] | env",
                "\"env\":{\"A\":1} | env.A",
                "\"env\":{\"A\":null} | env.A",
                "\"env\":{\"A=B\":\"1\"} | env",
                "\"env\":{\"\":\"1\"} | env",
                "\"env\":{\"A\\u0000\":\"1\"} | env",
                "\"env\":{\"HEXR_PARK_FD\":\"0\"} | env",
                "\"env\":{\"A\":\"\\u0000\"} | env.A",
                "\"env\":{\"A\":\"\\udfff\"} | env.A",
                "\"stdin\":12 | stdin",
                "\"stdin\":null | stdin",
                "\"stdin\":\"\\ud83d\" | stdin",
                "\"files\":{} | files",
                "\"files\":[\"a\"] | files[0]",
                "\"files\":[{\"path\":\"a\"}] | files[0]",
                "\"files\":[{\"content\":\"a\"}] | files[0]",
                "\"files\":[{}] | files[0]",
                "\"files\":[{\"path\":\"a\",\"content\":\"\",\"content_base64\":\"\"}] | files[0]",
                "\"files\":[{\"path\":\"a\",\"content\":\"\",\"mode\":7}] | files[0].mode",
                "\"files\":[{\"path\":1,\"content\":\"\"}] | files[0].path",
                "\"files\":[{\"path\":\"a\",\"content\":1}] | files[0].content",
                "\"files\":[{\"path\":\"a\",\"content\":\"\\udbff\"}] | files[0].content",
                "\"files\":[{\"path\":\"a\",\"content_base64\":\"!!\"}] | files[0].content_base64",
                "\"files\":[{\"path\":\"a\",\"content_base64\":\"QUJ\\nD\"}] | files[0].content_base64",
                "\"files\":[{\"path\":\"a\",\"content_base64\":\"_-8=\"}] | files[0].content_base64",
                "\"artifacts\":\"*\" | artifacts",
                "\"artifacts\":[1] | artifacts[0]",
                "\"artifacts\":[\"\"] | artifacts[0]",
                "\"artifacts\":[\"/etc/*\"] | artifacts[0]",
                "\"artifacts\":[\"a/../b\"] | artifacts[0]",
                "\"artifacts\":[\"a\\u0000\"] | artifacts[0]",
            })
    void aWrongValueIsRefusedWithItsPath(String members, String field) {
        assertThat(refusalWith(members).field()).isEqualTo(field);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "..",
                "/",
                "/etc/passwd",
                "../x",
                "a/../b",
                "a/..",
                "a/./b",
                "./a",
                "a//b",
                "a/",
                "//a",
                "a\\u0000b",
                "..\\u0000",
                "\\ud800"
            })
    void aPathThatIsNotPlainlyBelowTheWorkspaceIsRefused(String path) {
        var refusal = refusalWith("\"files\":[{\"path\":\"%s\",\"content\":\"\"}]".formatted(path));

        assertThat(refusal.field()).isEqualTo("files[0].path");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "...",
                "..a",
                "a..",
                ".hidden",
                "a b",
                "~",
                "-",
                "C:\\\\x",
                "a\\tb",
                "main.js",
                "é/ü",
                "main.py.txt"
            })
    void aStrangeButPlainPathIsTaken(String path) throws Exception {
        assertThat(with("\"files\":[{\"path\":\"%s\",\"content\":\"\"}]".formatted(path))
                        .files())
                .hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "main.py | b",
                "main.py/x | b",
                "a | a",
                "a | a/b",
                "a/b/c | a/b",
                "a/b | a/b/c/d",
            })
    void pathsThatCannotExistTogetherAreRefused(String first, String second) {
        String members = "\"files\":[{\"path\":\"%s\",\"content\":\"\"},{\"path\":\"%s\",\"content\":\"\"}]"
                .formatted(first, second);

        assertThat(refusalWith(members).field()).startsWith("files");
    }

    @Test
    void pathsAreBoundedInLengthAndInThatOfTheirParts() throws Exception {
        String longest = "%s/%s/%s/%s".formatted("a".repeat(255), "b".repeat(255), "c".repeat(255), "d".repeat(255));
        String file = "\"files\":[{\"path\":\"%s\",\"content\":\"\"}]";

        assertThat(with(file.formatted(longest)).files()).hasSize(1);
        refusalWith(file.formatted(longest + "/e"));
        refusalWith(file.formatted("a".repeat(256)));
        refusalWith(file.formatted("é".repeat(128)));
    }

    @Test
    void filesAndCodeMustFitTheWorkspaceOfThatMemory() throws Exception {
        // 16 MiB of memory have a workspace of 4 MiB; every file takes whole pages, the code one.
        String file = "\"memory_mb\":16,\"files\":[{\"path\":\"a\",\"content\":\"%s\"}]";
        int fits = (4 << 20) - 4_096;

        assertThat(with(file.formatted("x".repeat(fits))).files()).hasSize(1);
        var refusal = refusalWith(file.formatted("x".repeat(fits + 1)));
        assertThat(refusal.field()).isEqualTo("files");
        assertThat(refusal.legal()).startsWith("at most 4194304 bytes");
    }

    @Test
    void filesAndDirectoriesMustFitTheInodesOfThatMemory() throws Exception {
        // 16 MiB of memory have 1024 inodes: the workspace and the script take two, the directory one.
        assertThat(with("\"memory_mb\":16,\"files\":[%s]".formatted(files("d/", 1_000)))
                        .files())
                .hasSize(1_000);
        assertThat(refusalWith("\"memory_mb\":16,\"files\":[%s]"
                                .formatted(files("d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u/v/w/x/y/z/", 1_000)))
                        .field())
                .isEqualTo("files");
    }

    @Test
    void manyDeepPathsAreRefusedBeforeTheyFillTheMemory() {
        String files = IntStream.range(0, 1_000)
                .mapToObj(i -> "{\"path\":\"%d/%sx\",\"content\":\"\"}".formatted(i, "a/".repeat(500)))
                .collect(Collectors.joining(","));

        assertThat(refusalWith("\"files\":[%s]".formatted(files)).detail()).contains("files and directories");
    }

    @Test
    void countsAreBounded() throws Exception {
        assertThat(with("\"args\":[%s]".formatted(strings(10_000))).args()).hasSize(10_000);
        assertThat(refusalWith("\"args\":[%s]".formatted(strings(10_001))).field())
                .isEqualTo("args");
        assertThat(refusalWith("\"files\":[%s]".formatted(files("", 1_001))).field())
                .isEqualTo("files");
        assertThat(with("\"artifacts\":[%s]".formatted(strings(32))).artifactGlobs())
                .hasSize(32);
        assertThat(refusalWith("\"artifacts\":[%s]".formatted(strings(33))).field())
                .isEqualTo("artifacts");
        String env = IntStream.rangeClosed(0, 10_000)
                .mapToObj(i -> "\"V%d\":\"\"".formatted(i))
                .collect(Collectors.joining(","));
        assertThat(refusalWith("\"env\":{%s}".formatted(env)).field()).isEqualTo("env");
    }

    @Test
    void argumentsAreBoundedAsExecveBoundsThem() throws Exception {
        String longest = "a".repeat((128 << 10) - 1);

        assertThat(with("\"args\":[\"%s\"]".formatted(longest)).args()).hasSize(1);
        assertThat(refusalWith("\"args\":[\"%sa\"]".formatted(longest)).field()).isEqualTo("args[0]");
        assertThat(refusalWith("\"env\":{\"A\":\"%s\"}".formatted(longest)).field())
                .isEqualTo("env.A");
        String nine = "\"%s\",".formatted(longest).repeat(8) + "\"a\"";
        assertThat(refusalWith("\"args\":[%s]".formatted(nine)).legal()).contains("together");
    }

    @Test
    void codeIsBoundedInBytesNotInCharacters() throws Exception {
        int max = 4 << 20;

        assertThat(parse("{\"language\":\"bash\",\"code\":\"%s\"}".formatted("x".repeat(max)))
                        .code())
                .hasSize(max);
        var refusal = refusal("{\"language\":\"bash\",\"code\":\"%s\"}".formatted("é".repeat(max / 2 + 1)));
        assertThat(refusal.field()).isEqualTo("code");
        assertThat(refusal.detail()).isEqualTo("code has %d bytes.".formatted(max + 2));
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

    private static String strings(int count) {
        return IntStream.range(0, count).mapToObj(i -> "\"s\"").collect(Collectors.joining(","));
    }

    private static String files(String directory, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "{\"path\":\"%s%d\",\"content\":\"\"}".formatted(directory, i))
                .collect(Collectors.joining(","));
    }
}
