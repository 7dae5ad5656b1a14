package io.hexr.sandbox.sandbox.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.sandbox.SandboxException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StateDirectoryTest {
    @TempDir
    private Path temporary;

    @Test
    void whatAnEarlierEngineMadeIsTaken() throws Exception {
        try (var first = StateDirectory.open(temporary)) {
            first.subdirectory("run");
        }
        try (var second = StateDirectory.open(temporary)) {
            assertThat(second.subdirectory("run"))
                    .isEqualTo(temporary.toRealPath().resolve("run"));
        }
    }

    /** A file system of its own has a {@code lost+found}. */
    @Test
    void whatIsInNobodysWayIsLeftAlone() throws Exception {
        Path other = Files.createDirectory(temporary.resolve("lost+found"));
        StateDirectory.open(temporary).close();
        assertThat(other).exists();
    }

    /** The start deletes what is in them; {@code STATE_DIR=/} would empty {@code /run}. */
    @ParameterizedTest
    @ValueSource(strings = {"run", "shared", "templates"})
    void aDirectoryThatNoEngineMadeIsNotTaken(String name) throws Exception {
        Path stranger = Files.createDirectory(temporary.resolve(name));
        for (int attempt = 0; attempt < 2; attempt++) {
            assertThatThrownBy(() -> StateDirectory.open(temporary))
                    .isInstanceOf(SandboxException.class)
                    .hasMessageContaining("STATE_DIR=" + temporary)
                    .hasMessageContaining(stranger + " is there already");
        }
    }
}
