package io.hexr.sandbox.guest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.guest.GuestOutcome.Artifact;
import io.hexr.sandbox.guest.GuestOutcome.Exited;
import io.hexr.sandbox.guest.GuestOutcome.GuestFailure;
import io.hexr.sandbox.guest.GuestOutcome.Lost;
import io.hexr.sandbox.guest.GuestOutcome.Refused;
import io.hexr.sandbox.guest.GuestOutcome.SkippedArtifact;
import io.hexr.sandbox.guest.GuestOutcome.Violation;
import io.hexr.sandbox.guest.GuestRun.GuestFile;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class GuestSessionTest {
    private static final byte[] ENTROPY = new byte[64];
    private static final GuestLimits LIMITS = new GuestLimits(
            Duration.ofSeconds(30), 64, 256, 1_000_000, 1_000, 4096, 1 << 26, 1 << 26, 1 << 26, 0, 2, 100);

    private final List<FakeGuest> guests = new ArrayList<>();
    private final RecordingSink sink = new RecordingSink();

    @AfterEach
    void killGuests() {
        guests.forEach(FakeGuest::kill);
    }

    @Test
    void aRunBringsTheProgramEverythingAndItsOutputBack() {
        var received = new AtomicReference<GuestRun>();
        var run = new GuestRun(
                LIMITS,
                List.of("one", "", "zwei ü"),
                Map.of("NAME", "a=b", "EMPTY", ""),
                List.of(new GuestFile("main.py", "print()".getBytes(UTF_8)), new GuestFile("big", new byte[1_000_000])),
                List.of("**/*.png"),
                "input".getBytes(UTF_8));

        GuestOutcome outcome = run(run, (request, process) -> {
            received.set(request);
            process.stdout(process.stdin());
            process.stderr("warning");
            process.exit(3);
            process.artifact("plot.png", new byte[] {1, 2, 3});
            process.artifact("empty", new byte[0]);
            process.skipArtifact("big.png", SkippedArtifact.Reason.TOO_LARGE);
        });

        assertThat(received.get())
                .usingRecursiveComparison()
                .ignoringFields("stdin")
                .isEqualTo(run);
        assertThat(sink.stdout()).isEqualTo("input");
        assertThat(sink.stderr()).isEqualTo("warning");
        Exited exited = (Exited) outcome;
        assertThat(exited.statusOrSignal()).isEqualTo(3);
        assertThat(exited.signaled()).isFalse();
        assertThat(exited.stdoutBytes()).isEqualTo(5);
        assertThat(exited.artifacts()).extracting(Artifact::path).containsExactly("plot.png", "empty");
        assertThat(exited.artifacts().getFirst().content()).containsExactly(1, 2, 3);
        assertThat(exited.skippedArtifacts())
                .containsExactly(new SkippedArtifact("big.png", SkippedArtifact.Reason.TOO_LARGE));
    }

    @Test
    void variablesReachTheProgramInTheCallersOrder() {
        Map<String, String> env = new LinkedHashMap<>();
        for (int i = 20; i > 0; i--) {
            env.put("NAME_" + i * 7 % 20, "value");
        }
        var received = new AtomicReference<GuestRun>();
        run(new GuestRun(LIMITS, List.of(), env, List.of(), List.of(), new byte[0]), (request, process) -> {
            received.set(request);
            process.exit(0);
        });
        assertThat(received.get().env().keySet()).containsExactlyElementsOf(env.keySet());
    }

    @Test
    void aSmallRunIsSentInOneWriteByTheCallersThread() throws Exception {
        List<Thread> writes = new CopyOnWriteArrayList<>();
        var pair = SocketPair.open();
        var guest = FakeGuest.start(pair.guest(), (_, process) -> process.exit(0));
        var session = new GuestSession(new WatchedWrites(pair.engine(), writes));
        session.handshake(Instant.now(), new byte[Message.ENTROPY_BYTES]);

        var file = new GuestFile("main.sh", new byte[] {'#'});
        session.run(new GuestRun(LIMITS, List.of("a"), Map.of("B", "c"), List.of(file), List.of(), new byte[1]), sink);

        assertThat(writes).as("the handshake and the run").hasSize(2).containsOnly(Thread.currentThread());
        guest.kill();
    }

    private record WatchedWrites(GuestChannel channel, List<Thread> writes) implements GuestChannel {
        @Override
        public InputStream in() {
            return channel.in();
        }

        @Override
        public OutputStream out() {
            return new FilterOutputStream(channel.out()) {
                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    writes.add(Thread.currentThread());
                    out.write(bytes, offset, length);
                }
            };
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    @Test
    void aProgramThatWritesMoreThanTheChannelHoldsBeforeItReadsDoesNotDeadlock() {
        var run = new GuestRun(LIMITS, List.of(), Map.of(), List.of(), List.of(), new byte[5_000_000]);

        GuestOutcome outcome = run(run, (_, process) -> {
            process.stdout(new byte[900_000]);
            process.stdout(Integer.toString(process.stdin().length));
            process.exit(0);
        });

        assertThat(outcome).isInstanceOf(Exited.class);
        assertThat(sink.stdout()).endsWith("5000000");
    }

    @Test
    void aProgramThatEndsWithoutReadingItsInputEndsTheRun() {
        var run = new GuestRun(LIMITS, List.of(), Map.of(), List.of(), List.of(), new byte[5_000_000]);

        assertThat(run(run, (_, process) -> process.exit(0))).isInstanceOf(Exited.class);
    }

    @Test
    void flagsAndSignalsOfTheExitComeThrough() {
        assertThat((Exited) run((_, process) -> process.timeOut()))
                .returns(true, Exited::timedOut)
                .returns(true, Exited::signaled)
                .returns(9, Exited::statusOrSignal);
        assertThat((Exited) run((_, process) -> process.runOutOfMemory())).returns(true, Exited::outOfMemory);
        assertThat((Exited) run((_, process) -> process.dieOfSignal(11))).returns(11, Exited::statusOrSignal);
    }

    @Test
    void outputBeyondTheCapIsCutByTheGuestAndFlagged() {
        GuestOutcome outcome = run((_, process) -> {
            process.stderr(new byte[5_000]);
            process.exit(0);
        });

        assertThat((Exited) outcome)
                .returns(true, Exited::stderrTruncated)
                .returns(false, Exited::stdoutTruncated)
                .returns(5_000L, Exited::stderrBytes);
        assertThat(sink.stderr()).hasSize(1_000);
    }

    @Test
    void aGuestThatDiesLosesTheRunButNotItsOutput() {
        GuestOutcome outcome = run((_, process) -> process.stdout("partial"));

        assertThat(outcome).isInstanceOf(Lost.class);
        assertThat(sink.stdout()).isEqualTo("partial");
    }

    @Test
    void aGuestThatDiesInsideAFrameLosesTheRun() {
        assertThat(run((_, process) -> process.raw(new byte[] {(byte) 0x83, 9, 0, 0, 0, 'x'})))
                .isInstanceOf(Lost.class);
    }

    @Test
    void aGuestThatDiesAfterTheExitKeepsTheResultAndTheCompleteArtifacts() throws Exception {
        byte[] exit =
                wire(new Message.Exit(false, 0, false, false, false, false, Duration.ZERO, Duration.ZERO, 0, 0, 0));
        GuestOutcome outcome = run((_, process) -> {
            process.raw(exit);
            process.artifact("whole", new byte[] {1});
            process.raw(wire(new Message.Artifact(2, "half")));
            process.raw(wire(new Message.ArtifactData(new byte[] {1})));
        });

        assertThat(((Exited) outcome).artifacts()).extracting(Artifact::path).containsExactly("whole");
        assertThat(((Exited) outcome).skippedArtifacts())
                .containsExactly(new SkippedArtifact("half", SkippedArtifact.Reason.UNREADABLE));
    }

    @Test
    void aRefusalComesBackWithItsReasonEvenWhenTheGuestReadsNoFurther() {
        assertThat(run((_, process) -> process.refuse(GuestFailure.WORKSPACE_FULL, "no room")))
                .isEqualTo(new Refused(GuestFailure.WORKSPACE_FULL, "no room"));
    }

    @Test
    void closingTheChannelFromAnotherThreadEndsABlockedRun() throws Exception {
        SocketPair pair = SocketPair.open();
        var running = new CountDownLatch(1);
        guests.add(FakeGuest.start(pair.guest(), (_, process) -> {
            running.countDown();
            process.hang();
        }));
        var session = new GuestSession(pair.engine());
        session.handshake(Instant.now(), ENTROPY);
        Thread.ofVirtual().start(() -> {
            try {
                running.await();
                pair.engine().close();
            } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
            }
        });

        assertThat(session.run(emptyRun(), sink)).isInstanceOf(Lost.class);
    }

    @Test
    void everyWayToBreakTheOrderOrTheBoundsIsAViolation() throws Exception {
        var exit = new Message.Exit(false, 0, false, false, false, false, Duration.ZERO, Duration.ZERO, 0, 0, 0);
        var counted = new Message.Exit(false, 0, false, false, false, false, Duration.ZERO, Duration.ZERO, 0, 7, 0);
        var flagged = new Message.Exit(false, 0, false, false, true, false, Duration.ZERO, Duration.ZERO, 0, 0, 0);
        var skipped = new Message.ArtifactSkipped(SkippedArtifact.Reason.TOO_MANY, "x");
        assertViolation("parked", new Message.Parked());
        assertViolation("ready again", new Message.Ready(0, new byte[16]));
        assertViolation("artifact before exit", new Message.Artifact(1, "x"));
        assertViolation("end before exit", new Message.End());
        assertViolation("stderr beyond the cap", new Message.Stderr(new byte[1_001]));
        assertViolation("output that was not sent", counted);
        assertViolation("truncation without a reason", flagged);
        assertViolation("exit twice", exit, exit);
        assertViolation("output after exit", exit, new Message.Stdout(new byte[1]));
        assertViolation("failure after exit", exit, new Message.Failure(GuestFailure.INTERNAL, ""));
        assertViolation("data without an artifact", exit, new Message.ArtifactData(new byte[1]));
        assertViolation("a large artifact", exit, new Message.Artifact(101, "x"));
        assertViolation("a huge artifact", exit, new Message.Artifact(Long.MAX_VALUE, "x"));
        assertViolation(
                "large in all",
                exit,
                new Message.Artifact(60, "x"),
                new Message.ArtifactData(new byte[60]),
                new Message.Artifact(60, "y"));
        assertViolation(
                "too many artifacts",
                exit,
                new Message.Artifact(0, "x"),
                new Message.Artifact(0, "y"),
                new Message.Artifact(0, "z"));
        assertViolation(
                "more data than declared", exit, new Message.Artifact(1, "x"), new Message.ArtifactData(new byte[2]));
        assertViolation("end inside an artifact", exit, new Message.Artifact(1, "x"), new Message.End());
        Message[] flood = new Message[10_002];
        Arrays.fill(flood, skipped);
        flood[0] = exit;
        assertViolation("a flood of skipped artifacts", flood);
    }

    @Test
    void bytesThatAreNoFramesAreAViolation() {
        assertThat(run((_, process) -> process.raw("HTTP/1.1 200 OK\r\n".getBytes(UTF_8))))
                .isInstanceOf(Violation.class);
        assertThat(run((_, process) -> process.raw(new byte[] {(byte) 0x83, -1, -1, -1, -1})))
                .isInstanceOf(Violation.class);
    }

    private void assertViolation(String as, Message... messages) throws IOException {
        byte[] wire = wire(messages);
        assertThat(run((_, process) -> process.raw(wire))).as(as).isInstanceOf(Violation.class);
    }

    private static byte[] wire(Message... messages) throws IOException {
        var bytes = new ByteArrayOutputStream();
        for (Message message : messages) {
            new FrameWriter(bytes).send(message);
        }
        return bytes.toByteArray();
    }

    private GuestOutcome run(FakeProgram program) {
        return run(emptyRun(), program);
    }

    private GuestOutcome run(GuestRun run, FakeProgram program) {
        SocketPair pair = SocketPair.open();
        guests.add(FakeGuest.start(pair.guest(), program));
        var session = new GuestSession(pair.engine());
        try {
            session.handshake(Instant.now(), ENTROPY);
        } catch (GuestException e) {
            throw new AssertionError(e);
        }
        return session.run(run, sink);
    }

    private static GuestRun emptyRun() {
        return new GuestRun(LIMITS, List.of(), Map.of(), List.of(), List.of(), new byte[0]);
    }

    private static final class RecordingSink implements OutputSink {
        private final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
        private final ByteArrayOutputStream stderr = new ByteArrayOutputStream();

        @Override
        public void stdout(byte[] bytes) {
            stdout.writeBytes(bytes);
        }

        @Override
        public void stderr(byte[] bytes) {
            stderr.writeBytes(bytes);
        }

        String stdout() {
            return stdout.toString(UTF_8);
        }

        String stderr() {
            return stderr.toString(UTF_8);
        }
    }
}
