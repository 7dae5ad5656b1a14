package downstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a newcomer does: every Java example of the READMEs runs as it stands, with the jar and what it depends on. */
@Tag("engine")
@Timeout(120)
class ReadmeTest {
    private static final Pattern EXAMPLE = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

    static Stream<Arguments> examples() throws Exception {
        return Stream.concat(examples("../README.md"), examples("../../../README.md"));
    }

    private static Stream<Arguments> examples(String readme) throws Exception {
        var found = all(EXAMPLE, Files.readString(Path.of(readme)));
        assertThat(found).as("Java examples of " + readme).isNotEmpty();
        return found.stream().map(example -> Arguments.argumentSet(readme + " " + found.indexOf(example), example));
    }

    @ParameterizedTest
    @MethodSource("examples")
    void everyExampleRunsAsItStands(String example, @TempDir Path directory) throws Exception {
        Files.writeString(directory.resolve("orders.csv"), "amount\n3\n4\n");
        Files.writeString(directory.resolve("Example.java"), example);
        var output = directory.resolve("output");
        // surefire's own class path is a jar that names the others
        var classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        var java = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        classPath,
                        "Example.java")
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(java.waitFor(90, TimeUnit.SECONDS)).as("it ends").isTrue();
        } finally {
            java.destroyForcibly();
        }

        var expected = String.join("", all(Pattern.compile("// prints (.*\\n)"), example));
        assertThat(Files.readString(output)).isEqualTo(expected);
        assertThat(java.exitValue()).isZero();
        for (var name : all(Pattern.compile("// saves (\\S+)"), example)) {
            assertThat(directory.resolve(name)).isNotEmptyFile();
        }
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList();
    }
}
