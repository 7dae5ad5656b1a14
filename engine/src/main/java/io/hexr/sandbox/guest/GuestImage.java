package io.hexr.sandbox.guest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The image that every sandbox has as its root, as its manifest describes it.
 *
 * @param rootFile the EROFS file
 * @param sha256 of that file, 64 hex digits
 * @param versions what is in it: {@code python}, {@code node}, {@code bash}, {@code numpy}, …
 */
public record GuestImage(Path rootFile, String sha256, Map<String, String> versions) {
    private static final long MAX_MANIFEST_BYTES = 1 << 20;

    public GuestImage {
        versions = Map.copyOf(versions);
    }

    /** Reads the manifest; the image itself is only looked for. */
    public static GuestImage read(Path directory) throws IOException {
        Path manifest = directory.resolve("manifest.json");
        Path rootFile = directory.resolve("root.erofs");
        for (Path file : List.of(manifest, rootFile)) {
            if (!Files.isReadable(file)) {
                throw new IOException(
                        "no guest image: %s cannot be read; `./dev run` builds one, GUEST_IMAGE names its directory"
                                .formatted(file));
            }
        }
        if (Files.size(manifest) > MAX_MANIFEST_BYTES) {
            throw new IOException(manifest + " is too large for a manifest");
        }
        try {
            JsonNode json = JsonMapper.shared().readTree(Files.readString(manifest));
            var versions = new TreeMap<String, String>();
            json.required("versions")
                    .properties()
                    .forEach(entry ->
                            versions.put(entry.getKey(), entry.getValue().asString()));
            return new GuestImage(rootFile, json.required("sha256").asString(), versions);
        } catch (JacksonException e) {
            throw new IOException(manifest + " is not a manifest: " + e.getOriginalMessage(), e);
        }
    }

    /** Version of the interpreter of a language. */
    public String version(Language language) {
        return switch (language) {
            case PYTHON -> versions.getOrDefault("python", "unknown");
            case JAVASCRIPT -> versions.getOrDefault("node", "unknown");
            case BASH -> versions.getOrDefault("bash", "unknown");
        };
    }
}
