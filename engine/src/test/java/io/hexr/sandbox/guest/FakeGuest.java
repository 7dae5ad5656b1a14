package io.hexr.sandbox.guest;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/**
 * A guest agent in memory: it speaks the real frames over its end of a channel and runs programs written in Java. It ends when either end of
 * the channel is closed, as a sandbox does.
 */
public final class FakeGuest {
    private final Manners manners;
    private final GuestChannel channel;
    private final FakeProgram program;
    private final FrameReader reader;
    private final FrameWriter writer;
    private final Thread thread;
    private final CompletableFuture<Void> exit = new CompletableFuture<>();

    /** How far a guest gets before it does nothing any more. */
    public enum Manners {
        GOOD,
        /** Does not read what follows the handshake. */
        DEAF,
        /** Does not answer the handshake. */
        MUTE
    }

    private FakeGuest(GuestChannel channel, FakeProgram program, Manners manners) {
        this.manners = manners;
        this.channel = channel;
        this.program = program;
        this.reader = new FrameReader(channel.in(), FrameType.Sender.HOST);
        this.writer = new FrameWriter(channel.out());
        this.thread = Thread.ofVirtual().name("fake-guest").unstarted(this::live);
    }

    public static FakeGuest start(GuestChannel channel, FakeProgram program) {
        return start(channel, program, Manners.GOOD);
    }

    public static FakeGuest start(GuestChannel channel, FakeProgram program, Manners manners) {
        var guest = new FakeGuest(channel, program, manners);
        guest.thread.start();
        return guest;
    }

    /** Completes when the guest has ended. */
    public CompletableFuture<Void> onExit() {
        return exit;
    }

    /** Interrupts the program, closes the guest's end of the channel and waits until both are gone. */
    public void kill() {
        thread.interrupt();
        try {
            channel.close();
        } catch (IOException e) {
            throw new AssertionError("the fake guest does not die", e);
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true; // as a real kill, it goes on
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void live() {
        try (channel) {
            hangIf(Manners.MUTE);
            var resume = (Message.Resume) receive();
            byte[] random = new byte[Message.RANDOM_BYTES];
            new SecureRandom().nextBytes(random);
            writer.send(new Message.Ready(resume.wallClockNanos(), random));
            hangIf(Manners.DEAF);
            GuestRun run = receiveRun();
            var process = new FakeProcess(run.limits(), reader, channel.out());
            program.run(run, process);
            if (process.exited()) {
                process.end();
            }
        } catch (IOException | InterruptedException e) {
            // The engine closed the channel, or kill() did.
        } catch (ProtocolViolationException e) {
            throw new AssertionError("the engine broke the protocol", e);
        } finally {
            exit.complete(null);
        }
    }

    private void hangIf(Manners wanted) throws InterruptedException {
        if (manners == wanted) {
            new CountDownLatch(1).await();
        }
    }

    private GuestRun receiveRun() throws IOException, ProtocolViolationException {
        GuestLimits limits = ((Message.Limits) receive()).limits();
        List<String> args = new ArrayList<>();
        Map<String, String> env = new LinkedHashMap<>();
        List<GuestRun.GuestFile> files = new ArrayList<>();
        List<String> globs = new ArrayList<>();
        while (true) {
            switch (receive()) {
                case Message.Arg(String value) -> args.add(value);
                case Message.Env(String name, String value) -> env.put(name, value);
                case Message.File(String path) -> files.add(new GuestRun.GuestFile(path, new byte[0]));
                case Message.Data(byte[] bytes) -> append(files, bytes);
                case Message.ArtifactGlob(String pattern) -> globs.add(pattern);
                case Message.Start() -> {
                    return new GuestRun(limits, args, env, files, globs, new byte[0]);
                }
                default -> throw new ProtocolViolationException("out of order");
            }
        }
    }

    private static void append(List<GuestRun.GuestFile> files, byte[] bytes) {
        GuestRun.GuestFile last = files.removeLast();
        byte[] content = Arrays.copyOf(last.content(), last.content().length + bytes.length);
        System.arraycopy(bytes, 0, content, last.content().length, bytes.length);
        files.add(new GuestRun.GuestFile(last.path(), content));
    }

    private Message receive() throws IOException, ProtocolViolationException {
        return MessageCodec.decode(reader.read());
    }
}
