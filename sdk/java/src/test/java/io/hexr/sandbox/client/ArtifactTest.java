package io.hexr.sandbox.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArtifactTest {
    @TempDir
    private Path around;

    private Path directory;
    private Path outside;

    @BeforeEach
    void makeDirectories() throws Exception {
        directory = Files.createDirectory(around.resolve("directory"));
        outside = Files.createDirectory(around.resolve("outside"));
    }

    private static Artifact file(String path) {
        return new Artifact(path, "text/plain", "new".getBytes(UTF_8));
    }

    @Test
    void itIsSavedUnderItsOwnPath() throws Exception {
        var saved = file("a/b/c.txt").save(directory);

        assertThat(saved).isEqualTo(directory.resolve("a/b/c.txt")).hasContent("new");
        assertThat(file("a/b/c.txt").name()).isEqualTo("c.txt");
        assertThat(directory.resolve("a/b").toFile().list())
                .as("nothing but the file is left")
                .containsExactly("c.txt");
    }

    @Test
    void whatIsThereIsReplaced() throws Exception {
        Files.writeString(directory.resolve("a"), "something old and longer");

        assertThat(file("a").save(directory)).hasContent("new");
    }

    @Test
    void itIsSavedUnderANameOfTheCallers() throws Exception {
        assertThat(file("a/b").saveAs(directory.resolve("mine")))
                .isEqualTo(directory.resolve("mine"))
                .hasContent("new");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "..",
                "/",
                "/etc/x",
                "../x",
                "a/../x",
                "a/../../outside/x",
                "a//b",
                "./a",
                "a/",
                "a/.",
                "a\0b"
            })
    void aPathThatLeadsElsewhereIsRefused(String path) {
        assertThatThrownBy(() -> file(path).save(directory)).isInstanceOf(FileSystemException.class);
        assertThat(outside).isEmptyDirectory();
        assertThat(around.resolve("x")).doesNotExist();
    }

    @Test
    void aLinkOnTheWayIsNotFollowed() throws Exception {
        Files.createSymbolicLink(directory.resolve("link"), outside);

        assertThatThrownBy(() -> file("link/x").save(directory)).isInstanceOf(FileSystemException.class);
        assertThatThrownBy(() -> file("link/d/x").save(directory)).isInstanceOf(FileSystemException.class);
        assertThat(outside).isEmptyDirectory();
    }

    @Test
    void aLinkInItsPlaceIsNotFollowed() throws Exception {
        var precious = Files.writeString(outside.resolve("precious"), "old");
        Files.createSymbolicLink(directory.resolve("symbolic"), precious);
        Files.createSymbolicLink(directory.resolve("dangling"), outside.resolve("none"));
        Files.createLink(directory.resolve("hard"), precious);

        assertThatThrownBy(() -> file("symbolic").save(directory)).isInstanceOf(FileSystemException.class);
        assertThatThrownBy(() -> file("dangling").save(directory)).isInstanceOf(FileSystemException.class);
        assertThat(file("hard").save(directory)).hasContent("new");
        assertThat(file("x").saveAs(directory.resolve("symbolic"))).hasContent("new");
        assertThat(precious).hasContent("old");
        assertThat(outside.resolve("none")).doesNotExist();
    }

    @Test
    void aDirectoryInItsPlaceStays() throws Exception {
        Files.createDirectory(directory.resolve("d"));

        assertThatThrownBy(() -> file("d").save(directory)).isInstanceOf(FileSystemException.class);
        assertThat(directory.toFile().list()).containsExactly("d");
    }

    @Test
    void aDirectoryThatIsNotThereIsNotMade() {
        assertThatThrownBy(() -> file("a").save(directory.resolve("none"))).isInstanceOf(FileSystemException.class);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void itsContentCannotBeChanged() {
        byte[] given = {1};
        var artifact = new Artifact("a", "b", given);
        given[0] = 2;
        artifact.content()[0] = 3;

        assertThat(artifact.content()).containsExactly(1);
        assertThat(artifact)
                .isEqualTo(new Artifact("a", "b", new byte[] {1}))
                .hasSameHashCodeAs(new Artifact("a", "b", new byte[] {1}));
        assertThat(artifact).isNotEqualTo(new Artifact("a", "b", new byte[] {2}));
        assertThat(artifact).hasToString("Artifact[path=a, mediaType=b, size=1]");
    }

    @Test
    void textThatIsNotUtf8IsReplaced() {
        assertThat(new Artifact("a", "b", new byte[] {'a', (byte) 0xff}).text()).isEqualTo("a\ufffd");
    }
}
