package io.hexr.sandbox.http;

import static io.hexr.sandbox.http.Parsing.files;
import static io.hexr.sandbox.http.Parsing.parse;
import static io.hexr.sandbox.http.Parsing.parser;
import static io.hexr.sandbox.http.Parsing.refusal;
import static io.hexr.sandbox.http.Parsing.refusalWith;
import static io.hexr.sandbox.http.Parsing.strings;
import static io.hexr.sandbox.http.Parsing.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.policy.Caller;
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
        assertThat(request.artifactGlobs()).contains("**/*.[pP][nN][gG]", "**/*.[sS][vV][gG]");
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
                () -> parser("MAX_EXECUTION_TIME", "1500ms")
                        .parse(Caller.ANONYMOUS, "{\"timeout\":2}".getBytes(StandardCharsets.UTF_8)));

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
}
