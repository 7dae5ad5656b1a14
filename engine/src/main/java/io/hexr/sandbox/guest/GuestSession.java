package io.hexr.sandbox.guest;

import io.hexr.sandbox.guest.GuestRun.GuestFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The engine's side of the conversation with one guest agent.
 *
 * <p>States: NEW → READY → OVER. {@link #awaitParked} is for templates and stays in NEW; {@link #handshake} leads from NEW to READY, {@link
 * #run} from READY to OVER. A session carries one run, because a sandbox does.
 *
 * <p>Threads: a session belongs to its caller. {@link #run} sends what no socket could hold from a second virtual thread, so that a guest
 * which writes before it reads cannot block both sides; that thread has ended when run returns. Most runs are small: the caller sends them,
 * which spares the start of a thread at each.
 *
 * <p>Deadlines: the session has none of its own. Whoever owns the sandbox kills it or closes the channel when the time is over, from any
 * thread; every blocked read and write then ends, and the session with {@link GuestOutcome.Lost}.
 *
 * <p>Failures: everything that a guest can do wrong comes back as a {@link GuestOutcome} (run) or a {@link GuestException} (before it), never
 * as anything else, and never makes the session hold more than the limits of the run allow.
 */
public final class GuestSession {
    /** How far a guest's clock may be off once it was set: more than reading and setting it takes, less than a program would notice. */
    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(1);

    /** What a socket takes at once, far below any buffer's size (net.core.wmem_default: 208 KiB), so that the sender need not wait for the reader. */
    private static final int SMALL_RUN_BYTES = 16 * 1_024;

    private enum State {
        NEW,
        READY,
        OVER
    }

    private final GuestChannel channel;
    private final FrameReader reader;
    private final FrameWriter writer;
    private State state = State.NEW;
    private volatile boolean started;

    public GuestSession(GuestChannel channel) {
        this.channel = channel;
        this.reader = new FrameReader(channel.in(), FrameType.Sender.GUEST);
        this.writer = new FrameWriter(channel.out());
    }

    /**
     * What a guest answered to RESUME.
     *
     * @param clock its wall clock after it was set
     * @param random bytes from its kernel's generator; two resumes of one template must never show the same
     */
    public record Ready(Instant clock, byte[] random) {}

    /** Waits until the guest is idle and may be snapshotted. */
    public void awaitParked() throws GuestException {
        requireState(State.NEW);
        receive("parking", message -> message instanceof Message.Parked parked ? parked : null);
    }

    /** Waits until a parked guest has hung up; a connection that is open in a snapshot would be reset by every resume. */
    public void awaitHangUp() throws GuestException {
        requireState(State.NEW);
        boolean hungUp;
        try {
            hungUp = reader.atEnd();
        } catch (IOException e) {
            throw new GuestException("parking: the guest is gone: " + e, e);
        }
        if (!hungUp) {
            throw new GuestException("parking: the guest said more than that it is parked");
        }
    }

    /**
     * Gives a resumed guest the time and entropy, and checks its answer.
     *
     * @param now the host's wall clock at this moment
     * @param entropy 64 bytes nobody else has
     */
    public Ready handshake(Instant now, byte[] entropy) throws GuestException {
        requireState(State.NEW);
        long sent = System.nanoTime();
        try {
            writer.send(new Message.Resume(toNanos(now), entropy));
        } catch (IOException e) {
            throw new GuestException("handshake: the guest is gone: " + e, e);
        }
        Message.Ready answer = receive("handshake", message -> message instanceof Message.Ready ready ? ready : null);
        Instant clock = Instant.ofEpochSecond(0, answer.wallClockNanos());
        Instant latest = now.plusNanos(System.nanoTime() - sent).plus(CLOCK_TOLERANCE);
        if (clock.isBefore(now.minus(CLOCK_TOLERANCE)) || clock.isAfter(latest)) {
            throw new GuestException("handshake: the guest's clock shows %s, the host's %s".formatted(clock, now));
        }
        state = State.READY;
        return new Ready(clock, answer.random());
    }

    /** Runs a program, hands its output to the sink as it comes, and closes the channel. */
    public GuestOutcome run(GuestRun run, OutputSink sink) {
        requireState(State.READY);
        state = State.OVER;
        @Nullable Thread sender = null;
        try {
            if (run.bytes() <= SMALL_RUN_BYTES) {
                send(run, sink);
            } else {
                sender = Thread.ofVirtual().name("guest-sender").start(() -> send(run, sink));
            }
            return new RunReceiver(reader, run.limits(), sink, () -> started).receive();
        } finally {
            closeChannel();
            if (sender != null) {
                awaitEnd(sender);
            }
        }
    }

    private void send(GuestRun run, OutputSink sink) {
        try {
            writer.write(new Message.Limits(run.limits()));
            for (String arg : run.args()) {
                writer.write(new Message.Arg(arg));
            }
            for (var variable : run.env().entrySet()) {
                writer.write(new Message.Env(variable.getKey(), variable.getValue()));
            }
            for (GuestFile file : run.files()) {
                writer.write(new Message.File(file.path()));
                sendChunks(file.content(), Message.Data::new);
            }
            for (String glob : run.artifactGlobs()) {
                writer.write(new Message.ArtifactGlob(glob));
            }
            started = true;
            sink.started();
            writer.write(new Message.Start());
            sendChunks(run.stdin(), Message.Stdin::new);
            writer.send(new Message.StdinEnd());
        } catch (IOException e) {
            // The guest stopped reading: it is gone, refused the run, or the program ended before it read its input.
            // The receiver finds out which.
        }
    }

    private void sendChunks(byte[] bytes, Function<byte[], Message> message) throws IOException {
        ByteArrayInputStream rest = new ByteArrayInputStream(bytes);
        while (rest.available() > 0) {
            writer.write(message.apply(rest.readNBytes(Frame.MAX_PAYLOAD_BYTES)));
        }
    }

    /** The one message that may come now; {@code expected} gives null for every other. */
    private <M extends Message> M receive(String step, Function<Message, @Nullable M> expected) throws GuestException {
        try {
            Message message = MessageCodec.decode(reader.read());
            M match = expected.apply(message);
            if (match != null) {
                return match;
            }
            if (message instanceof Message.Failure(GuestOutcome.GuestFailure code, String text)) {
                throw new GuestException("%s: the guest refused: %s: %s".formatted(step, code, text));
            }
            throw new GuestException("%s: the guest broke the protocol: %s out of order"
                    .formatted(step, message.getClass().getSimpleName()));
        } catch (ProtocolViolationException e) {
            throw new GuestException("%s: the guest broke the protocol: %s".formatted(step, e.getMessage()), e);
        } catch (IOException e) {
            throw new GuestException("%s: the guest is gone: %s".formatted(step, e), e);
        }
    }

    private void requireState(State required) {
        if (state != required) {
            throw new IllegalStateException("the session is %s, not %s".formatted(state, required));
        }
    }

    private void closeChannel() {
        try {
            channel.close();
        } catch (IOException e) {
            // A socket that fails to close is closed all the same; there is nothing to lose on it any more.
        }
    }

    /** Ends at once, because the channel is closed; also when the caller was interrupted, so that nothing of a run outlives it. */
    private static void awaitEnd(Thread sender) {
        boolean interrupted = false;
        while (sender.isAlive()) {
            try {
                sender.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static long toNanos(Instant instant) {
        return Duration.between(Instant.EPOCH, instant).toNanos();
    }
}
