package io.hexr.sandbox.guest;

import java.time.Duration;

/** What one run may use inside the guest; the payload of a LIMITS frame. All sizes in bytes. */
public record GuestLimits(
        Duration wallTime,
        int processes,
        int openFiles,
        int stdoutCap,
        int stderrCap,
        int inodes,
        long workspaceBytes,
        long tmpBytes,
        long shmBytes,
        long memoryBytes,
        int maxArtifacts,
        long artifactBytes) {

    public GuestLimits {
        if (wallTime.isNegative() || wallTime.toMillis() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("wall time of " + wallTime);
        }
        if (artifactBytes > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("artifacts of %,d bytes".formatted(artifactBytes));
        }
    }
}
