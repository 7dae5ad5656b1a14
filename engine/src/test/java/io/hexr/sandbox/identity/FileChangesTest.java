package io.hexr.sandbox.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class FileChangesTest {
    private final BlockingQueue<String> calls = new LinkedBlockingQueue<>();

    private static void replace(Path file, String content) throws Exception {
        Path fresh = Files.writeString(file.resolveSibling("fresh"), content);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private void assertCalledOnceFor(String content) throws Exception {
        assertThat(calls.poll(20, TimeUnit.SECONDS)).isEqualTo(content);
        assertThat(calls).isEmpty();
    }

    @Test
    void whatElseIsWrittenBesideAFileCallsNobody(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("policy.yaml"), "one");
        try (var changes = FileChanges.watch(List.of(file))) {
            changes.follow("test", () -> calls.add(contentOf(file)));
            for (int i = 0; i < 20; i++) {
                Files.writeString(directory.resolve("engine.log"), "line " + i);
            }
            replace(file, "one");
            replace(file, "two");
            assertCalledOnceFor("two");
        }
    }

    /** As the kubelet does it: files → ..data/file, ..data → a directory that is replaced. */
    @Test
    void aVolumeOfKubernetesIsRenewedByALinkBesideTheFile(@TempDir Path directory) throws Exception {
        Path old = Files.createDirectory(directory.resolve("..old"));
        Files.writeString(old.resolve("policy.yaml"), "one");
        Path renewed = Files.createDirectory(directory.resolve("..new"));
        Files.writeString(renewed.resolve("policy.yaml"), "two");
        Files.createSymbolicLink(directory.resolve("..data"), old);
        Path file = Files.createSymbolicLink(directory.resolve("policy.yaml"), directory.resolve("..data/policy.yaml"));
        try (var changes = FileChanges.watch(List.of(file))) {
            changes.follow("test", () -> calls.add(contentOf(file)));
            Path link = Files.createSymbolicLink(directory.resolve("..tmp"), renewed);
            Files.move(link, directory.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
            assertCalledOnceFor("two");
        }
    }

    @Test
    void aFileThatIsRemovedIsAChange(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("policy.yaml"), "one");
        try (var changes = FileChanges.watch(List.of(file))) {
            changes.follow("test", () -> calls.add(contentOf(file)));
            Files.delete(file);
            assertCalledOnceFor("gone");
        }
    }

    @Test
    void aDefectInWhatIsCalledDoesNotEndTheFollowing(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("policy.yaml"), "one");
        try (var changes = FileChanges.watch(List.of(file))) {
            changes.follow("test", () -> {
                calls.add(contentOf(file));
                throw new IllegalStateException("as the test asked");
            });
            replace(file, "two");
            assertCalledOnceFor("two");
            replace(file, "three");
            assertCalledOnceFor("three");
        }
    }

    private static String contentOf(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "gone";
        }
    }
}
