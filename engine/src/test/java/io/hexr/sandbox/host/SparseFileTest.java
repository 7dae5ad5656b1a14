package io.hexr.sandbox.host;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SparseFileTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path directory;

    private Path file(String name, byte[] content) throws IOException {
        return Files.write(directory.resolve(name), content);
    }

    /** Zeros with something at these places. */
    private static byte[] zerosBut(int length, int... places) {
        byte[] bytes = new byte[length];
        for (int place : places) {
            bytes[place] = 1;
        }
        return bytes;
    }

    @Test
    void aCopyHasTheSameBytesWhereverTheZerosAre() throws Exception {
        byte[] random = new byte[3 * MIB + 17];
        new Random(1).nextBytes(random);
        List<byte[]> contents = List.of(
                new byte[0],
                new byte[1],
                zerosBut(5, 4),
                new byte[4_096],
                zerosBut(2 * MIB, MIB),
                zerosBut(2 * MIB + 1, 2 * MIB),
                zerosBut(3 * MIB, 0),
                random);
        for (byte[] content : contents) {
            Path copy = directory.resolve("copy" + contents.indexOf(content));
            SparseFile.copy(file("file", content), copy);

            assertThat(Files.readAllBytes(copy)).isEqualTo(content);
        }
    }

    @Test
    void zerosTakeNoSpace() throws Exception {
        Path copy = directory.resolve("copy");

        SparseFile.copy(file("file", zerosBut(64 * MIB, 32 * MIB)), copy);

        Process stat = new ProcessBuilder("stat", "-c", "%b", copy.toString()).start();
        String blocks = new String(stat.getInputStream().readAllBytes(), UTF_8).strip();
        assertThat(Integer.parseInt(blocks)).as("blocks of 512 bytes").isLessThan(64);
    }

    @Test
    void anExistingFileIsNotOverwritten() throws Exception {
        Path copy = file("copy", new byte[] {1});

        assertThatThrownBy(() -> SparseFile.copy(file("file", new byte[2]), copy))
                .isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void theHashTellsLengthContentAndPlace() throws Exception {
        Set<String> hashes = new HashSet<>();
        List<byte[]> contents = List.of(
                new byte[0],
                new byte[1],
                new byte[4_096],
                new byte[4_097],
                zerosBut(8_192, 0),
                zerosBut(8_192, 4_096),
                zerosBut(8_192, 4_097),
                zerosBut(8_193, 4_096));
        for (byte[] content : contents) {
            hashes.add(SparseFile.sha256(file("file", content)));
        }

        assertThat(hashes).hasSameSizeAs(contents);
    }

    @Test
    void holesAndZerosHaveOneHash() throws Exception {
        Path file = file("file", zerosBut(5 * MIB, 3 * MIB));
        SparseFile.copy(file, directory.resolve("copy"));

        assertThat(SparseFile.sha256(directory.resolve("copy"))).isEqualTo(SparseFile.sha256(file));
    }
}
