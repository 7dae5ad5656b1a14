package io.hexr.sandbox.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ExecutionRequest;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.json.Utf8;
import io.hexr.sandbox.policy.Caller;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import tools.jackson.databind.json.JsonMapper;

class ExecutionRequestParserPropertyTest {
    private static final ExecutionRequestParser PARSER = Parsing.parser();
    private static final JsonMapper JSON = JsonMapper.builder().build();

    @Property
    void bytesAreTakenOrRefusedButNeverAnError(@ForAll byte[] body) {
        assertThat(status(body)).isIn(200, 400);
    }

    @Property(tries = 5_000)
    void jsonIsTakenOrRefusedButNeverAnError(@ForAll("requestLikeJson") String body) {
        assertThat(status(body.getBytes(StandardCharsets.UTF_8))).isIn(200, 400);
    }

    @Property
    void aBodyThatIsCutOffIsRefused(@ForAll("validRequests") Map<String, Object> valid, @ForAll double where) {
        byte[] body = JSON.writeValueAsBytes(valid);
        int length = (int) (Math.abs(where % 1) * body.length);

        assertThat(status(Arrays.copyOf(body, length))).isEqualTo(400);
    }

    @Property
    void everyValidRequestSurvivesTheJourney(@ForAll("validRequests") Map<String, Object> valid)
            throws EngineException {
        ExecutionRequest request = PARSER.parse(Caller.ANONYMOUS, JSON.writeValueAsBytes(valid));

        assertThat(asMembers(request)).isEqualTo(valid);
    }

    /** What the caller would get: 200 stands for a request that is taken. */
    private static int status(byte[] body) {
        try {
            PARSER.parse(Caller.ANONYMOUS, body);
            return 200;
        } catch (EngineException e) {
            return Problem.answer(e).status();
        } catch (RuntimeException e) {
            return 500;
        }
    }

    private static Map<String, Object> asMembers(ExecutionRequest request) {
        var members = new LinkedHashMap<String, Object>();
        members.put("code", request.code());
        members.put("language", request.language().id());
        members.put("timeout", request.timeout().toMillis() / 1e3);
        members.put("memory_mb", request.memoryMb());
        members.put("args", request.args());
        members.put("env", request.env());
        members.put("stdin", new String(request.stdin(), StandardCharsets.UTF_8));
        members.put(
                "files",
                request.files().stream()
                        .map(file -> Map.of(
                                "path", file.path(),
                                "content_base64", Base64.getEncoder().encodeToString(file.content())))
                        .toList());
        members.put("artifacts", request.artifactGlobs());
        return members;
    }

    @Provide
    Arbitrary<Map<String, Object>> validRequests() {
        Arbitrary<String> text = Arbitraries.strings().filter(s -> !Utf8.hasLoneSurrogate(s));
        Arbitrary<String> argument = text.filter(s -> s.indexOf('\0') < 0);
        Arbitrary<String> envName = argument.filter(s -> !s.isEmpty() && s.indexOf('=') < 0);
        Arbitrary<Map<String, Object>> head = Combinators.combine(
                        text,
                        Arbitraries.of(Language.class),
                        Arbitraries.integers().between(1, 30_000),
                        Arbitraries.integers().between(16, 512))
                .as((code, language, milliseconds, memory) -> Map.of(
                        "code", code, "language", language.id(), "timeout", milliseconds / 1e3, "memory_mb", memory));
        Arbitrary<Map<String, Object>> tail = Combinators.combine(
                        argument.list().ofMaxSize(5),
                        Arbitraries.maps(envName, argument).ofMaxSize(5),
                        text,
                        files(),
                        Arbitraries.of("*.png", "**/*", "a/[b-d]?.txt").list().ofMaxSize(3))
                .as((args, env, stdin, files, globs) ->
                        Map.of("args", args, "env", env, "stdin", stdin, "files", files, "artifacts", globs));
        return Combinators.combine(head, tail).as((a, b) -> {
            var all = new LinkedHashMap<>(a);
            all.putAll(b);
            return all;
        });
    }

    private static Arbitrary<List<Map<String, String>>> files() {
        Arbitrary<String> part =
                Arbitraries.strings().alpha().numeric().ofMinLength(1).ofMaxLength(8);
        Arbitrary<byte[]> content = Arbitraries.bytes().array(byte[].class).ofMaxSize(200);
        // Each in a directory of its own, so that none is a directory of another.
        return Combinators.combine(part, content)
                .as((name, bytes) -> Map.entry(name, Base64.getEncoder().encodeToString(bytes)))
                .list()
                .ofMaxSize(4)
                .map(entries -> {
                    var files = new ArrayList<Map<String, String>>();
                    for (int i = 0; i < entries.size(); i++) {
                        files.add(Map.of(
                                "path", "d%d/%s".formatted(i, entries.get(i).getKey()),
                                "content_base64", entries.get(i).getValue()));
                    }
                    return files;
                });
    }

    /** Objects with the names of the API and values of every kind, now and then the right ones. */
    @Provide
    Arbitrary<String> requestLikeJson() {
        Arbitrary<String> name = Arbitraries.of(
                "\"code\"",
                "\"language\"",
                "\"timeout\"",
                "\"memory_mb\"",
                "\"args\"",
                "\"env\"",
                "\"stdin\"",
                "\"files\"",
                "\"artifacts\"",
                "\"path\"",
                "\"content\"",
                "\"content_base64\"",
                "\"A\"",
                "\"\"",
                "\"\\ud800\"",
                "\"\\u0000\"");
        Arbitrary<String> leaf = Arbitraries.of(
                "\"\"",
                "\"python\"",
                "\"bash\"",
                "\"a/b\"",
                "\"../a\"",
                "\"\\u0000\"",
                "\"\\ud83d\"",
                "\"\\ud83d\\ude42\"",
                "\"QUI=\"",
                "0",
                "1",
                "64",
                "-1",
                "0.5",
                "1e9",
                "1e400",
                "1e-400",
                "1e99999999999",
                "256.0",
                "true",
                "false",
                "null",
                "NaN",
                "\"",
                "{",
                "]",
                ",");
        Arbitrary<String> value = Arbitraries.lazyOf(
                () -> leaf, () -> leaf, () -> list(leaf), () -> object(name, leaf), () -> list(object(name, leaf)));
        return object(name, value);
    }

    private static Arbitrary<String> list(Arbitrary<String> elements) {
        return elements.list().ofMaxSize(3).map(all -> "[" + String.join(",", all) + "]");
    }

    private static Arbitrary<String> object(Arbitrary<String> names, Arbitrary<String> values) {
        return Combinators.combine(names, values)
                .as((name, value) -> name + ":" + value)
                .list()
                .ofMaxSize(6)
                .map(all -> "{" + String.join(",", all) + "}");
    }
}
