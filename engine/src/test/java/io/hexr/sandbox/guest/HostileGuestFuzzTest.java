package io.hexr.sandbox.guest;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Any bytes from a guest end in a typed outcome. {@code JAZZER_FUZZ=1} searches; without it the inputs found so far are replayed. */
class HostileGuestFuzzTest {
    private static final GuestLimits LIMITS =
            new GuestLimits(Duration.ofSeconds(1), 1, 1, 1_000, 1_000, 1, 1, 1, 1, 0, 3, 1_000);
    private static final GuestRun RUN =
            new GuestRun(LIMITS, List.of("arg"), Map.of(), List.of(), List.of(), new byte[10]);

    @FuzzTest(maxDuration = "60s")
    void theReaderGivesMessagesOrTypedErrors(byte[] bytes) {
        for (FrameType.Sender sender : FrameType.Sender.values()) {
            var reader = new FrameReader(new ByteArrayInputStream(bytes), sender);
            try {
                while (true) {
                    Message message = MessageCodec.decode(reader.read());
                    assertThat(MessageCodec.encode(message).type().sender()).isEqualTo(sender);
                }
            } catch (IOException | ProtocolViolationException e) {
                assertThat(e).hasMessageMatching("(?s).{1,200}");
            }
        }
    }

    @FuzzTest(maxDuration = "60s")
    void aSessionEndsWithATypedOutcomeWithinItsLimits(byte[] bytes) throws GuestException {
        var sink = new CountingSink();
        var session = new GuestSession(new HostileChannel(bytes));
        session.handshake(Instant.EPOCH, new byte[Message.ENTROPY_BYTES]);
        GuestOutcome outcome = session.run(RUN, sink);

        assertThat(sink.stdout).isLessThanOrEqualTo(LIMITS.stdoutCap());
        assertThat(sink.stderr).isLessThanOrEqualTo(LIMITS.stderrCap());
        if (outcome instanceof GuestOutcome.Exited exited) {
            assertThat(exited.artifacts()).hasSizeLessThanOrEqualTo(LIMITS.maxArtifacts());
            assertThat(exited.artifacts().stream()
                            .mapToLong(artifact -> artifact.content().length)
                            .sum())
                    .isLessThanOrEqualTo(LIMITS.artifactBytes());
        }
    }

    private static final class CountingSink implements OutputSink {
        private long stdout;
        private long stderr;

        @Override
        public void stdout(byte[] bytes) {
            stdout += bytes.length;
        }

        @Override
        public void stderr(byte[] bytes) {
            stderr += bytes.length;
        }
    }

    /** Answers the handshake well and then, once the program is started, says what it was given. */
    private static final class HostileChannel implements GuestChannel {
        private final CountDownLatch started = new CountDownLatch(1);
        private final InputStream in;

        HostileChannel(byte[] bytes) {
            in = new SequenceInputStream(
                    new ByteArrayInputStream(ready()), new FilterInputStream(new ByteArrayInputStream(bytes)) {
                        @Override
                        public int read(byte[] target, int offset, int length) throws IOException {
                            awaitStart();
                            return super.read(target, offset, length);
                        }

                        @Override
                        public int available() {
                            return 0;
                        }
                    });
        }

        private static byte[] ready() {
            var bytes = new ByteArrayOutputStream();
            try {
                new FrameWriter(bytes).send(new Message.Ready(0, new byte[Message.RANDOM_BYTES]));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return bytes.toByteArray();
        }

        private void awaitStart() {
            try {
                assertThat(started.await(10, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public InputStream in() {
            return in;
        }

        @Override
        public OutputStream out() {
            return new OutputStream() {
                @Override
                public void write(int b) {}

                @Override
                public void write(byte[] frame, int offset, int length) {
                    // The handshake is written by itself, and a run as small as this one in one piece, START included.
                    if (frame[offset] != FrameType.RESUME.code()) {
                        started.countDown();
                    }
                }
            };
        }

        @Override
        public void close() {}
    }
}
