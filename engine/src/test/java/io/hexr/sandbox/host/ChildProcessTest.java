package io.hexr.sandbox.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChildProcessTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    @TempDir
    Path directory;

    @Test
    void getsNothingOfTheEnginesEnvironmentAndAnEmptyInput() throws Exception {
        Path output = directory.resolve("out");
        Path errors = directory.resolve("err");

        int status = ChildProcess.start(
                        List.of("/bin/sh", "-c", "cat; env; pwd; echo oops >&2; exit 7"), output, errors)
                .await(TIMEOUT);

        assertThat(status).isEqualTo(7);
        assertThat(output)
                .content()
                .doesNotContain("HOME=", "JAVA_HOME=")
                .contains("PATH=", "PWD=/")
                .endsWith("/\n");
        assertThat(LogFile.tail(errors, 100)).isEqualTo("oops");
    }

    @Test
    void aProcessThatDoesNotEndInTimeIsSaidToRunOn() throws Exception {
        ChildProcess child = ChildProcess.start(List.of("/bin/sleep", "1000"), directory.resolve("err"));

        assertThatThrownBy(() -> child.await(Duration.ofMillis(20)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("/bin/sleep");

        assertThat(child.isAlive()).isTrue();
        child.kill();
        assertThat(child.await(TIMEOUT)).isEqualTo(128 + 9);
    }

    @Test
    void waitingForTheEndIsNotEndedByAnInterrupt() throws Exception {
        ChildProcess child = ChildProcess.start(List.of("/bin/sleep", "0.2"), directory.resolve("err"));

        Thread.currentThread().interrupt();
        int status = child.await(TIMEOUT);

        assertThat(status).isZero();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void theTailOfALogIsItsEnd() throws Exception {
        Path log = directory.resolve("err");
        ChildProcess.start(List.of("/bin/sh", "-c", "seq 1000 >&2"), log).await(TIMEOUT);

        assertThat(LogFile.tail(log, 10)).isEqualTo("999\n1000");
        assertThat(LogFile.tail(directory.resolve("none"), 10)).isEmpty();
    }
}
