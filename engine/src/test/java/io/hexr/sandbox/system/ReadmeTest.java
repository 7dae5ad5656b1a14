package io.hexr.sandbox.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What a newcomer copies from the README does what the README says. */
@Tag("sandbox")
@Timeout(60)
@ExtendWith(RunningEngine.class)
class ReadmeTest {
    private static final List<String> DIFFER_EACH_TIME = List.of("execution_id", "execution_time_ms", "memory_used_mb");

    private final RunningEngine.Address address;

    ReadmeTest(RunningEngine.Address address) {
        this.address = address;
    }

    @Test
    void theFirstRequestGetsTheAnswerThatIsPrinted(@TempDir Path directory) throws Exception {
        String readme = Files.readString(Path.of("../README.md"));
        String command = block(readme, "sh", "curl ")
                .replace("http://127.0.0.1:8080", address.uri().toString());
        var printed = (ObjectNode) JsonMapper.shared().readTree(block(readme, "json", "\"stdout\""));
        var answer = (ObjectNode) JsonMapper.shared()
                .readTree(run(command, directory.resolve("answer").toFile()));
        assertThat(answer.propertyNames()).containsExactlyElementsOf(printed.propertyNames());
        assertThat(answer.remove(DIFFER_EACH_TIME)).isEqualTo(printed.remove(DIFFER_EACH_TIME));
    }

    @Test
    void theStreamIsAsPrinted(@TempDir Path directory) throws Exception {
        String readme = Files.readString(Path.of("../README.md"));
        String command = block(readme, "sh", "curl -sN")
                .replace("http://127.0.0.1:8080", address.uri().toString());
        String events = run(command, directory.resolve("events").toFile());
        assertThat(withoutId(events))
                .startsWith(withoutId(block(readme, "text", "event: start")).replace("…\n", ""));
        assertThat(events).containsSubsequence("event: stdout", "2\\n", "event: stdout", "3\\n", "event: result");
    }

    private static String withoutId(String events) {
        return events.replaceAll("exec-[0-9a-f]{32}", "exec-");
    }

    private static String block(String readme, String language, String text) {
        return Pattern.compile("```" + language + "\\n(.*?)```", Pattern.DOTALL)
                .matcher(readme)
                .results()
                .map(match -> match.group(1))
                .filter(block -> block.contains(text))
                .findFirst()
                .orElseThrow();
    }

    private static String run(String command, File output) throws Exception {
        var shell = new ProcessBuilder("bash", "-c", command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .redirectOutput(output)
                .start();
        try {
            assertThat(shell.waitFor(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            shell.destroyForcibly();
        }
        assertThat(shell.exitValue()).isZero();
        return Files.readString(output.toPath());
    }
}
