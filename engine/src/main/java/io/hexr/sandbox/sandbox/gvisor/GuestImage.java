package io.hexr.sandbox.sandbox.gvisor;

import io.hexr.sandbox.host.Sha256;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The root file system of all sandboxes, as its manifest describes it. */
record GuestImage(Path root, String sha256) {
    static GuestImage read(Path directory) throws IOException {
        Path manifest = directory.resolve("manifest.json");
        Path root = directory.resolve("root.erofs").toRealPath();
        try {
            JsonNode sha256 =
                    JsonMapper.shared().readTree(Files.readString(manifest)).path("sha256");
            if (!sha256.isString()) {
                throw new IOException(manifest + " has no sha256: build the guest image anew");
            }
            return new GuestImage(root, sha256.stringValue());
        } catch (JacksonException e) {
            throw new IOException(manifest + " is not JSON: build the guest image anew", e);
        }
    }

    /** Reads the whole image; to be done before something lasting is made from it. */
    void verify() throws IOException {
        if (!Sha256.of(root).equals(sha256)) {
            throw new IOException(root + " is not what its manifest says: delete it and build the guest image anew");
        }
    }
}
