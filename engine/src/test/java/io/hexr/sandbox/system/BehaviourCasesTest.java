package io.hexr.sandbox.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The behaviour cases drawn from public bug reports, each with the answer that a native run gives, sent by their own runner. Those that
 * gVisor cannot meet are in {@code docs/differences.md} and nowhere else.
 */
@Tag("sandbox")
@Timeout(900)
@ExtendWith(RunningEngine.class)
class BehaviourCasesTest {
    private static final Path CASES = Path.of("src/test/cases");

    private final RunningEngine.Address address;

    BehaviourCasesTest(RunningEngine.Address address) {
        this.address = address;
    }

    @Test
    void everyCaseGetsTheAnswerOfANativeRun(@TempDir Path directory) throws Exception {
        Path report = directory.resolve("report");
        var runner = new ProcessBuilder(
                        "python3",
                        CASES.resolve("run_cases.py").toString(),
                        "--url",
                        address.uri().toString(),
                        "--jobs",
                        "2",
                        CASES.resolve("cases-open.jsonl").toString())
                .redirectErrorStream(true)
                .redirectOutput(report.toFile())
                .start();
        try {
            assertThat(runner.waitFor(800, TimeUnit.SECONDS))
                    .as("the runner ended")
                    .isTrue();
        } finally {
            runner.destroyForcibly();
        }
        String text = Files.readString(report, StandardCharsets.UTF_8);
        assertThat(text).matches("(?s).*[1-9]\\d* passed, 0 failed\\n");
        assertThat(runner.exitValue()).isZero();
    }
}
