package io.hexr.sandbox.client;

import static java.util.Objects.requireNonNull;

/** A file that matched but did not come back; {@code reason} is {@code too_many}, {@code too_large} or {@code unreadable}. */
public record SkippedArtifact(String path, String reason) {
    public SkippedArtifact {
        requireNonNull(path, "path");
        requireNonNull(reason, "reason");
    }
}
