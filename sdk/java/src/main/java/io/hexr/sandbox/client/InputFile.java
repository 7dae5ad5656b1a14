package io.hexr.sandbox.client;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A file that is laid out for a program, as the API takes it: either text or bytes.
 *
 * @param path relative to /workspace, with slashes
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record InputFile(
        String path, @Nullable String content, @Nullable String contentBase64) {
    /** No service takes a larger request, so no larger file is read (MAX_REQUEST_BYTES of the engine). */
    private static final int MAX_BYTES = 256 << 20;

    static InputFile text(String path, String content) {
        return new InputFile(path, content, null);
    }

    static InputFile bytes(String path, byte[] content) {
        return new InputFile(path, null, Base64.getEncoder().encodeToString(content));
    }

    static InputFile copyOf(String path, Path file) {
        try (var in = Files.newInputStream(file)) {
            var content = in.readNBytes(MAX_BYTES + 1);
            if (content.length > MAX_BYTES) {
                throw new IOException(
                        "%s has more than %d bytes, the most that any service takes".formatted(file, MAX_BYTES));
            }
            return bytes(path, content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
