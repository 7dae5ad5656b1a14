package io.hexr.sandbox.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateDirectoryTest {
    @TempDir
    private Path temporary;

    @Test
    void aNewOneIsForItsOwnerOnly() throws Exception {
        Path made = PrivateDirectory.open(temporary.resolve("a/b"));
        assertThat(Files.getPosixFilePermissions(made)).isEqualTo(PosixFilePermissions.fromString("rwx------"));
        assertThat(PrivateDirectory.open(made)).isEqualTo(made);
    }

    @Test
    void oneThatOthersMayReadIsTakenAndOneThatTheyMayWriteIsNot() throws Exception {
        Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(PrivateDirectory.open(temporary)).isEqualTo(temporary.toRealPath());
        for (String mode : new String[] {"rwxrwxr-x", "rwxr-xrwx"}) {
            Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString(mode));
            assertThatThrownBy(() -> PrivateDirectory.open(temporary))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("chmod go-w " + temporary.toRealPath());
        }
    }

    @Test
    void whatALinkPointsToIsWhatCounts() throws Exception {
        Path target = Files.createDirectory(temporary.resolve("target"));
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path link = Files.createSymbolicLink(temporary.resolve("link"), target);
        assertThatThrownBy(() -> PrivateDirectory.open(link))
                .hasMessageContaining(target.toRealPath().toString());
    }

    @Test
    void oneOfAnotherUserIsNotTaken() throws Exception {
        assumeTrue(Files.getAttribute(temporary, "unix:uid").equals(0), "only root can give a directory away");
        Files.setAttribute(temporary, "unix:uid", 65_534);
        assertThatThrownBy(() -> PrivateDirectory.open(temporary)).hasMessageContaining("belongs to");
    }

    @Test
    void aFileIsNone() throws Exception {
        Path file = Files.createFile(temporary.resolve("file"));
        assertThatThrownBy(() -> PrivateDirectory.open(file)).hasMessageContaining("is not a directory");
    }
}
