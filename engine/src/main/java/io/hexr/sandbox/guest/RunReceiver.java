package io.hexr.sandbox.guest;

import io.hexr.sandbox.guest.GuestOutcome.Artifact;
import io.hexr.sandbox.guest.GuestOutcome.Exited;
import io.hexr.sandbox.guest.GuestOutcome.Lost;
import io.hexr.sandbox.guest.GuestOutcome.Refused;
import io.hexr.sandbox.guest.GuestOutcome.SkippedArtifact;
import io.hexr.sandbox.guest.GuestOutcome.Violation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Reads what a guest sends during one run, up to END, and holds it against the limits of that run.
 *
 * <p>Order: {@code (STDOUT | STDERR)* EXIT (ARTIFACT ARTIFACT_DATA* | ARTIFACT_SKIPPED)* END}, or FAILURE instead of EXIT. Every list, byte
 * count and frame count here has a bound, so that a hostile guest can neither fill the engine's memory nor keep it reading for ever.
 */
final class RunReceiver {
    /** The agent looks at 10,000 directory entries at most, so it cannot have skipped more. */
    private static final int SKIPPED_MAX = 10_000;

    /** Enough to tell the caller what happened; an honest guest may skip thousands. */
    private static final int SKIPPED_KEPT = 100;

    private final FrameReader reader;
    private final GuestLimits limits;
    private final OutputSink sink;
    private final BooleanSupplier started;

    private long stdoutReceived;
    private long stderrReceived;
    private final List<Artifact> artifacts = new ArrayList<>();
    private final List<SkippedArtifact> skipped = new ArrayList<>();
    private long artifactBytesDeclared;
    private int skippedCount;

    /** @param started whether START was sent; before it a guest may only say FAILURE */
    RunReceiver(FrameReader reader, GuestLimits limits, OutputSink sink, BooleanSupplier started) {
        this.reader = reader;
        this.limits = limits;
        this.sink = sink;
        this.started = started;
    }

    GuestOutcome receive() {
        try {
            return receiveOutput();
        } catch (ProtocolViolationException e) {
            return new Violation(e.getMessage());
        } catch (IOException e) {
            return new Lost(e.toString());
        }
    }

    private GuestOutcome receiveOutput() throws IOException, ProtocolViolationException {
        while (true) {
            Message message = MessageCodec.decode(reader.read());
            if (message instanceof Message.Failure(GuestOutcome.GuestFailure code, String text)) {
                return new Refused(code, text);
            }
            require(started.getAsBoolean(), message, "before START");
            switch (message) {
                case Message.Stdout(byte[] bytes) -> {
                    stdoutReceived += bytes.length;
                    require(stdoutReceived <= limits.stdoutCap(), message, "beyond the cap");
                    sink.stdout(bytes);
                }
                case Message.Stderr(byte[] bytes) -> {
                    stderrReceived += bytes.length;
                    require(stderrReceived <= limits.stderrCap(), message, "beyond the cap");
                    sink.stderr(bytes);
                }
                case Message.Exit exit -> {
                    checkOutput(exit);
                    sink.ended();
                    receiveArtifacts();
                    return exited(exit);
                }
                default -> throw outOfOrder(message);
            }
        }
    }

    /** The head of each stream came, up to its cap, and the counts and flags say the same. */
    private void checkOutput(Message.Exit exit) throws ProtocolViolationException {
        require(
                stdoutReceived == Math.min(exit.stdoutBytes(), limits.stdoutCap())
                        && stderrReceived == Math.min(exit.stderrBytes(), limits.stderrCap()),
                exit,
                "counts do not fit the output that came");
        require(
                exit.stdoutTruncated() == exit.stdoutBytes() > limits.stdoutCap()
                        && exit.stderrTruncated() == exit.stderrBytes() > limits.stderrCap(),
                exit,
                "flags do not fit the counts");
    }

    /** A stream that ends before END has lost artifacts, not the result; the one that it ended in is told. */
    private void receiveArtifacts() throws ProtocolViolationException {
        try {
            while (true) {
                Message message = MessageCodec.decode(reader.read());
                switch (message) {
                    case Message.Artifact artifact -> artifacts.add(receiveArtifact(artifact));
                    case Message.ArtifactSkipped(SkippedArtifact.Reason reason, String path) -> {
                        skippedCount++;
                        require(skippedCount <= SKIPPED_MAX, message, "too many");
                        if (skipped.size() < SKIPPED_KEPT) {
                            skipped.add(new SkippedArtifact(path, reason));
                        }
                    }
                    case Message.End() -> {
                        return;
                    }
                    default -> throw outOfOrder(message);
                }
            }
        } catch (IOException e) {
            // Exited is documented to carry the artifacts that came before the channel broke.
        }
    }

    private Artifact receiveArtifact(Message.Artifact artifact) throws IOException, ProtocolViolationException {
        require(artifacts.size() < limits.maxArtifacts(), artifact, "too many");
        require(artifact.size() <= limits.artifactBytes() - artifactBytesDeclared, artifact, "too large");
        artifactBytesDeclared += artifact.size();
        byte[] content = new byte[Math.toIntExact(artifact.size())];
        try {
            fill(content);
            return new Artifact(artifact.path(), content);
        } catch (IOException e) {
            skipped.add(new SkippedArtifact(artifact.path(), SkippedArtifact.Reason.UNREADABLE));
            throw e;
        }
    }

    private void fill(byte[] content) throws IOException, ProtocolViolationException {
        int filled = 0;
        while (filled < content.length) {
            Message message = MessageCodec.decode(reader.read());
            if (!(message instanceof Message.ArtifactData(byte[] bytes))) {
                throw outOfOrder(message);
            }
            require(bytes.length <= content.length - filled, message, "more than the artifact's size");
            System.arraycopy(bytes, 0, content, filled, bytes.length);
            filled += bytes.length;
        }
    }

    private Exited exited(Message.Exit exit) {
        return new Exited(
                exit.signaled(),
                exit.statusOrSignal(),
                exit.timedOut(),
                exit.outOfMemory(),
                exit.stdoutTruncated(),
                exit.stderrTruncated(),
                exit.wallTime(),
                exit.cpuTime(),
                exit.peakMemoryBytes(),
                exit.stdoutBytes(),
                exit.stderrBytes(),
                List.copyOf(artifacts),
                List.copyOf(skipped));
    }

    private static ProtocolViolationException outOfOrder(Message message) {
        return new ProtocolViolationException(message.getClass().getSimpleName() + " out of order");
    }

    private static void require(boolean condition, Message message, String violation)
            throws ProtocolViolationException {
        if (!condition) {
            throw new ProtocolViolationException(message.getClass().getSimpleName() + ": " + violation);
        }
    }
}
