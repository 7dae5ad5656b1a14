package io.hexr.sandbox.sandbox.firecracker;

import io.hexr.sandbox.sandbox.template.VerifiedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The kernel of every guest and the initial file system with the agent. */
record GuestKernel(String release, VerifiedFile vmlinux, VerifiedFile initramfs) {
    private static final long MAX_MANIFEST_BYTES = 1 << 20;

    /** Reads the manifest; the files are only looked for. */
    static GuestKernel read(Path directory) throws IOException {
        Path manifest = directory.resolve("manifest.json");
        if (!Files.isReadable(manifest)) {
            throw new IOException(
                    "no guest kernel: %s cannot be read; guest/kernel/build makes one, GUEST_KERNEL names its directory"
                            .formatted(manifest));
        }
        if (Files.size(manifest) > MAX_MANIFEST_BYTES) {
            throw new IOException(manifest + " is too large for a manifest");
        }
        try {
            JsonNode json = JsonMapper.shared().readTree(Files.readString(manifest));
            return new GuestKernel(
                    json.required("kernel").asString(),
                    new VerifiedFile(
                            directory.resolve("vmlinux"),
                            json.required("vmlinux_sha256").asString()),
                    new VerifiedFile(
                            directory.resolve("initramfs.cpio"),
                            json.required("initramfs_sha256").asString()));
        } catch (JacksonException e) {
            throw new IOException(manifest + " is not a manifest: " + e.getOriginalMessage(), e);
        }
    }
}
