package io.hexr.sandbox.guest;

import java.time.Duration;
import java.util.List;

/** How a run ended as seen on the channel. Only {@link Exited} is the guest's own word that a program ran to an end. */
public sealed interface GuestOutcome {

    /** The EXIT frame arrived. The artifacts are those that arrived before END or before the channel broke. */
    record Exited(
            boolean signaled,
            int statusOrSignal,
            boolean timedOut,
            boolean outOfMemory,
            boolean stdoutTruncated,
            boolean stderrTruncated,
            Duration wallTime,
            Duration cpuTime,
            long peakMemoryBytes,
            long stdoutBytes,
            long stderrBytes,
            List<Artifact> artifacts,
            List<SkippedArtifact> skippedArtifacts)
            implements GuestOutcome {}

    /** The agent said that it cannot do the run. */
    record Refused(GuestFailure failure, String message) implements GuestOutcome {}

    /** The stream ended or broke before EXIT: the sandbox died or was killed; the host's counters tell why. */
    record Lost(String reason) implements GuestOutcome {}

    /** The guest broke the protocol; it is hostile or broken. */
    record Violation(String reason) implements GuestOutcome {}

    record Artifact(String path, byte[] content) {}

    record SkippedArtifact(String path, Reason reason) {
        public enum Reason {
            TOO_MANY,
            TOO_LARGE,
            UNREADABLE
        }
    }

    enum GuestFailure {
        INTERNAL,
        PROTOCOL,
        WORKSPACE_FULL,
        INTERPRETER,
        HANDSHAKE
    }
}
