package io.hexr.sandbox.http;

import io.hexr.sandbox.policy.Caller;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.eclipse.jetty.server.Request;

/** {@code GET /openapi.yaml}: the contract of this API, with the version of the engine that serves it. Media type as in RFC 9512. */
final class OpenApiEndpoint implements Endpoint {
    private static final String RESOURCE = "/openapi.yaml";
    private static final String VERSION_IN_THE_TREE = "\n  version: dev\n";

    private final String document;
    private final HealthSource source;

    OpenApiEndpoint(HealthSource source) {
        this.document = read();
        this.source = source;
    }

    private static String read() {
        try (var in = Objects.requireNonNull(OpenApiEndpoint.class.getResourceAsStream(RESOURCE), RESOURCE)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String path() {
        return "/openapi.yaml";
    }

    @Override
    public List<String> methods() {
        return List.of("GET", "HEAD");
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public Answer handle(Request request, Caller caller, BodyMemory.Reservation memory) {
        String version = "\n  version: %s\n".formatted(source.health().version());
        byte[] body = document.replace(VERSION_IN_THE_TREE, version).getBytes(StandardCharsets.UTF_8);
        return new Answer(200, "application/yaml", body, Map.of());
    }
}
