package io.hexr.sandbox.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostFilesTest {
    @TempDir
    Path directory;

    @Test
    void deletingATreeDoesNotFollowSymbolicLinks() throws Exception {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Files.writeString(outside.resolve("precious"), "x");
        Path tree = Files.createDirectories(directory.resolve("tree/deep"));
        Files.createSymbolicLink(tree.resolve("link"), outside);
        Files.createSymbolicLink(tree.resolve("dangling"), directory.resolve("nowhere"));

        FileTree.delete(directory.resolve("tree"));
        FileTree.delete(directory.resolve("tree"));

        assertThat(directory.resolve("tree")).doesNotExist();
        assertThat(outside.resolve("precious")).exists();
    }

    @Test
    void aDirectoryHasOneOwnerAtATime() throws Exception {
        try (var first = DirectoryLock.acquire(directory)) {
            assertThat(first).isNotNull();
            assertThatThrownBy(() -> DirectoryLock.acquire(directory))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("in use by another engine");
        }
        DirectoryLock.acquire(directory).close();
    }

    @Test
    void theReasonOfAFailedFileIsMoreThanItsPath() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "");

        assertThat(reason(() -> Files.readString(directory.resolve("absent"))))
                .isEqualTo(directory + "/absent does not exist");
        assertThat(reason(() -> Files.createDirectory(file))).isEqualTo(file + " is in the way");
        assertThat(reason(() -> Files.readString(file.resolve("below")))).isEqualTo(file + "/below: Not a directory");
        assertThat(reason(() -> {
                    throw new IOException();
                }))
                .isEqualTo("java.io.IOException");
    }

    private static String reason(ThrowingCallable call) {
        return IoReason.of(catchThrowableOfType(IOException.class, call));
    }

    @Test
    void theHashOfAFileIsThatOfItsBytes() throws Exception {
        Path file = Files.writeString(directory.resolve("abc"), "abc");

        assertThat(Sha256.of(file))
                .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
                .isEqualTo(Sha256.of("abc"));
    }
}
