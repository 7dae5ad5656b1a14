package io.hexr.sandbox.guest;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.hexr.sandbox.guest.GuestOutcome.GuestFailure;
import io.hexr.sandbox.guest.GuestOutcome.SkippedArtifact;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;

/** What a {@link FakeProgram} can do. Output is capped and counted as the real agent does it. */
public final class FakeProcess {
    private static final int SIGKILL = 9;

    private final GuestLimits limits;
    private final FrameReader reader;
    private final OutputStream out;
    private final FrameWriter writer;
    private long stdoutBytes;
    private long stderrBytes;
    private boolean exited;

    FakeProcess(GuestLimits limits, FrameReader reader, OutputStream out) {
        this.limits = limits;
        this.reader = reader;
        this.out = out;
        this.writer = new FrameWriter(out);
    }

    public void stdout(String text) throws IOException {
        stdout(text.getBytes(UTF_8));
    }

    public void stdout(byte[] bytes) throws IOException {
        sendHead(bytes, limits.stdoutCap() - stdoutBytes, Message.Stdout::new);
        stdoutBytes += bytes.length;
    }

    public void stderr(String text) throws IOException {
        stderr(text.getBytes(UTF_8));
    }

    public void stderr(byte[] bytes) throws IOException {
        sendHead(bytes, limits.stderrCap() - stderrBytes, Message.Stderr::new);
        stderrBytes += bytes.length;
    }

    private void sendHead(byte[] bytes, long room, Function<byte[], Message> message) throws IOException {
        int end = Math.clamp(room, 0, bytes.length);
        for (int start = 0; start < end; start += Frame.MAX_PAYLOAD_BYTES) {
            writer.send(
                    message.apply(Arrays.copyOfRange(bytes, start, Math.min(end, start + Frame.MAX_PAYLOAD_BYTES))));
        }
    }

    /** Reads the whole standard input. */
    public byte[] stdin() throws IOException {
        var all = new ByteArrayOutputStream();
        try {
            while (MessageCodec.decode(reader.read()) instanceof Message.Stdin(byte[] bytes)) {
                all.writeBytes(bytes);
            }
        } catch (ProtocolViolationException e) {
            throw new AssertionError("the engine broke the protocol", e);
        }
        return all.toByteArray();
    }

    public void exit(int status) throws IOException {
        exit(false, status, false, false);
    }

    public void dieOfSignal(int signal) throws IOException {
        exit(true, signal, false, false);
    }

    public void timeOut() throws IOException {
        exit(true, SIGKILL, true, false);
    }

    public void runOutOfMemory() throws IOException {
        exit(true, SIGKILL, false, true);
    }

    private void exit(boolean signaled, int statusOrSignal, boolean timedOut, boolean outOfMemory) throws IOException {
        writer.send(new Message.Exit(
                signaled,
                statusOrSignal,
                timedOut,
                outOfMemory,
                stdoutBytes > limits.stdoutCap(),
                stderrBytes > limits.stderrCap(),
                Duration.ofMillis(5),
                Duration.ofMillis(3),
                0,
                stdoutBytes,
                stderrBytes));
        exited = true;
    }

    /** To be called after the exit. */
    public void artifact(String path, byte[] content) throws IOException {
        writer.send(new Message.Artifact(content.length, path));
        sendHead(content, content.length, Message.ArtifactData::new);
    }

    /** To be called after the exit. */
    public void skipArtifact(String path, SkippedArtifact.Reason reason) throws IOException {
        writer.send(new Message.ArtifactSkipped(reason, path));
    }

    public void refuse(GuestFailure failure, String text) throws IOException {
        writer.send(new Message.Failure(failure, text));
    }

    /** Any bytes, as a guest that was taken over may send them. */
    public void raw(byte[] bytes) throws IOException {
        out.write(bytes);
    }

    /** Does nothing until the guest is killed. */
    public void hang() throws InterruptedException {
        new CountDownLatch(1).await();
    }

    boolean exited() {
        return exited;
    }

    void end() throws IOException {
        writer.send(new Message.End());
    }
}
