package io.hexr.sandbox.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A file that the program made. Its name, type and content are the program's: they are shown and saved with care.
 *
 * @param path relative to /workspace, with slashes
 * @param mediaType by the file's name, never by its content
 */
@SuppressWarnings("ArrayRecordComponent") // it is copied on the way in and out, and compared by what it holds
public record Artifact(
        String path,
        String mediaType,
        @JsonProperty("content_base64") byte[] content) implements ExecutionEvent {
    public Artifact {
        requireNonNull(path, "path");
        requireNonNull(mediaType, "mediaType");
        content = content.clone();
    }

    /** A copy of the content; {@link #openStream()} reads it without one. */
    @Override
    public byte[] content() {
        return content.clone();
    }

    public InputStream openStream() {
        return new ByteArrayInputStream(content);
    }

    /** The last part of its path. */
    public String name() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    public int size() {
        return content.length;
    }

    /** The content as UTF-8, in which what is not becomes U+FFFD. */
    public String text() {
        return new String(content, UTF_8);
    }

    /** Writes the file below the current directory: {@link #save(Path)}. */
    public Path save() throws IOException {
        return save(Path.of(""));
    }

    /**
     * Writes the file below a directory, under its own path.
     *
     * @param directory which exists
     * @return where the file is
     * @throws java.nio.file.FileSystemException also when its path would lead out of the directory, by itself or by a symbolic link
     */
    public Path save(Path directory) throws IOException {
        return ArtifactFile.below(directory, path).write(content);
    }

    /** Writes the file under a name of the caller's; what is there already is replaced. */
    public Path saveAs(Path file) throws IOException {
        return new ArtifactFile(file).write(content);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Artifact(var otherPath, var otherType, var otherContent)
                && path.equals(otherPath)
                && mediaType.equals(otherType)
                && Arrays.equals(content, otherContent);
    }

    @Override
    public int hashCode() {
        return 31 * path.hashCode() + Arrays.hashCode(content);
    }

    @Override
    public String toString() {
        return "Artifact[path=%s, mediaType=%s, size=%d]".formatted(path, mediaType, size());
    }
}
