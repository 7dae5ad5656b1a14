package io.hexr.sandbox.guest;

import io.hexr.sandbox.guest.GuestOutcome.GuestFailure;
import io.hexr.sandbox.guest.GuestOutcome.SkippedArtifact;
import java.time.Duration;

/** What the engine and a guest agent say to each other: the meaning of a {@link Frame}. Names as in {@code docs/agent-protocol.md}. */
sealed interface Message {
    int VERSION = 1;
    int ENTROPY_BYTES = 64;
    int RANDOM_BYTES = 16;

    sealed interface FromHost extends Message {}

    sealed interface FromGuest extends Message {}

    record Resume(long wallClockNanos, byte[] entropy) implements FromHost {}

    record Limits(GuestLimits limits) implements FromHost {}

    record Arg(String value) implements FromHost {}

    record Env(String name, String value) implements FromHost {}

    record File(String path) implements FromHost {}

    record Data(byte[] bytes) implements FromHost {}

    record ArtifactGlob(String pattern) implements FromHost {}

    record Start() implements FromHost {}

    record Stdin(byte[] bytes) implements FromHost {}

    record StdinEnd() implements FromHost {}

    record Parked() implements FromGuest {}

    record Ready(long wallClockNanos, byte[] random) implements FromGuest {}

    record Stdout(byte[] bytes) implements FromGuest {}

    record Stderr(byte[] bytes) implements FromGuest {}

    record Exit(
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
            long stderrBytes)
            implements FromGuest {}

    record Artifact(long size, String path) implements FromGuest {}

    record ArtifactData(byte[] bytes) implements FromGuest {}

    record ArtifactSkipped(SkippedArtifact.Reason reason, String path) implements FromGuest {}

    record End() implements FromGuest {}

    record Failure(GuestFailure code, String text) implements FromGuest {}
}
