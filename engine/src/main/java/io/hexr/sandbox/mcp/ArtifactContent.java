package io.hexr.sandbox.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.hexr.sandbox.exec.ExecutionResult.Artifact;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A file that a run made, as content of a result: an image that models can look at as an image, everything else as an embedded resource. A
 * program can call anything {@code plot.png}; a client that hands such bytes to its model as an image has the whole conversation refused, so
 * they must begin as a file of that type does.
 */
final class ArtifactContent {
    private ArtifactContent() {}

    private record ImageType(String mediaType, int offset, byte[] signature) {
        private static ImageType of(String mediaType, int offset, String hex) {
            return new ImageType(mediaType, offset, HexFormat.of().parseHex(hex));
        }

        private boolean fits(Artifact artifact) {
            byte[] content = artifact.content();
            int end = offset + signature.length;
            return mediaType.equals(artifact.mediaType())
                    && content.length > end
                    && Arrays.equals(content, offset, end, signature, 0, signature.length);
        }
    }

    /** SVG is not among them: it is a text, and no model takes it as an image. */
    private static final List<ImageType> IMAGES = List.of(
            ImageType.of("image/png", 0, "89504e470d0a1a0a"),
            ImageType.of("image/jpeg", 0, "ffd8ff"),
            ImageType.of("image/gif", 0, "47494638"),
            ImageType.of("image/webp", 8, "57454250"));

    static ObjectNode of(String executionId, Artifact artifact) {
        var content = JsonNodeFactory.instance.objectNode();
        if (IMAGES.stream().anyMatch(type -> type.fits(artifact))) {
            return content.put("type", "image").put("data", artifact.content()).put("mimeType", artifact.mediaType());
        }
        content.put("type", "resource");
        var resource = content.putObject("resource")
                .put("uri", uri(executionId, artifact.path()))
                .put("mimeType", artifact.mediaType());
        String text = text(artifact);
        if (text == null) {
            resource.put("blob", artifact.content());
        } else {
            resource.put("text", text);
        }
        return content;
    }

    /** A name, not an address: nothing of a run is kept that could be read by it later. */
    private static String uri(String executionId, String path) {
        return Arrays.stream(path.split("/", -1))
                .map(part -> URLEncoder.encode(part, UTF_8).replace("+", "%20"))
                .collect(Collectors.joining("/", "sandbox://%s/".formatted(executionId), ""));
    }

    private static @Nullable String text(Artifact artifact) {
        String type = artifact.mediaType();
        if (!type.startsWith("text/") && !type.equals("application/json") && !type.equals("image/svg+xml")) {
            return null;
        }
        try {
            return UTF_8.newDecoder()
                    .decode(ByteBuffer.wrap(artifact.content()))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
