package io.hexr.sandbox.http;

import static io.hexr.sandbox.http.Parsing.files;
import static io.hexr.sandbox.http.Parsing.refusal;
import static io.hexr.sandbox.http.Parsing.refusalWith;
import static io.hexr.sandbox.http.Parsing.strings;
import static io.hexr.sandbox.http.Parsing.with;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InputFilesTest {

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
}
