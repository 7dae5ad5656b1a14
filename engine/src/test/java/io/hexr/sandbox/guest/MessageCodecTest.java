package io.hexr.sandbox.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.guest.GuestOutcome.GuestFailure;
import io.hexr.sandbox.guest.GuestOutcome.SkippedArtifact;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.HexFormat;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class MessageCodecTest {
    @Property
    void everyMessageSurvivesTheWire(@ForAll("messages") Message message) throws Exception {
        byte[] wire = write(message);

        Message read = MessageCodec.decode(new FrameReader(new ByteArrayInputStream(wire), sender(message)).read());

        assertThat(read).usingRecursiveComparison().isEqualTo(message);
    }

    @Property
    void aMessageCutShortAnywhereIsAnEndOfStreamAndNothingElse(@ForAll("messages") Message message, @ForAll int cut)
            throws Exception {
        byte[] wire = write(message);
        var cutOff = new ByteArrayInputStream(wire, 0, Math.floorMod(cut, wire.length));

        assertThatThrownBy(() -> new FrameReader(cutOff, sender(message)).read())
                .isInstanceOf(EOFException.class);
    }

    @Property
    void aPayloadOfTheWrongSizeIsRefused(@ForAll("fixedSize") Message message, @ForAll byte extra) {
        byte[] payload = MessageCodec.encode(message).payload();
        byte[] longer = java.util.Arrays.copyOf(payload, payload.length + 1);
        longer[payload.length] = extra;

        assertRefused(message, longer);
        if (payload.length > 0) {
            assertRefused(message, java.util.Arrays.copyOf(payload, payload.length - 1));
        }
    }

    private static void assertRefused(Message message, byte[] payload) {
        FrameType type = MessageCodec.encode(message).type();
        assertThatThrownBy(() -> MessageCodec.decode(new Frame(type, payload)))
                .isInstanceOf(ProtocolViolationException.class);
    }

    @Test
    void theLayoutIsTheOneOfTheProtocolPage() throws Exception {
        assertThat(hex(new Message.Start())).isEqualTo("0800000000");
        assertThat(hex(new Message.StdinEnd())).isEqualTo("0a00000000");
        assertThat(hex(new Message.Env("A", "b=c"))).isEqualTo("04 05000000 413d623d63".replace(" ", ""));
        assertThat(hex(new Message.File("d/é"))).isEqualTo("05 05000000 00 642fc3a9".replace(" ", ""));
        assertThat(hex(new Message.Resume(0x0102030405060708L, new byte[64])))
                .isEqualTo("01 4c000000 01000000 0807060504030201".replace(" ", "") + "00".repeat(64));
        var limits = new GuestLimits(
                Duration.ofSeconds(30), 64, 256, 1 << 20, 1 << 19, 4096, 1L << 26, 1L << 25, 1L << 24, 1L << 28, 16, 9);
        assertThat(hex(new Message.Limits(limits)))
                .isEqualTo(("02 48000000 30750000 40000000 00010000 00001000 00000800 00100000"
                                + " 0000000400000000 0000000200000000 0000000100000000 0000001000000000"
                                + " 10000000 00000000 0900000000000000")
                        .replace(" ", ""));
        var exit =
                new Message.Exit(true, 9, true, false, false, true, Duration.ofNanos(1), Duration.ofNanos(2), 3, 4, 5);
        assertThat(hex(exit))
                .isEqualTo(("85 30000000 01 09 09 00 00000000 0100000000000000 0200000000000000"
                                + " 0300000000000000 0400000000000000 0500000000000000")
                        .replace(" ", ""));
    }

    @Test
    void aLengthAboveTheMaximumIsRefusedBeforeAnythingIsRead() {
        var endless = new InputStream() {
            private final byte[] header = HexFormat.of().parseHex("8301000400");
            private int position;

            @Override
            public int read() {
                assertThat(position).as("bytes read").isLessThan(header.length);
                return Byte.toUnsignedInt(header[position++]);
            }

            @Override
            public int read(byte[] bytes, int offset, int length) {
                bytes[offset] = (byte) read();
                return 1;
            }
        };

        assertThatThrownBy(() -> new FrameReader(endless, FrameType.Sender.GUEST).read())
                .isInstanceOf(ProtocolViolationException.class)
                .hasMessageContaining("262,145");
    }

    @Test
    void aFrameOfTheMaximalLengthIsRead() throws Exception {
        byte[] wire = write(new Message.Stdout(new byte[Frame.MAX_PAYLOAD_BYTES]));

        Frame frame = new FrameReader(new ByteArrayInputStream(wire), FrameType.Sender.GUEST).read();

        assertThat(frame.payload()).hasSize(Frame.MAX_PAYLOAD_BYTES);
    }

    @Test
    void typesThatOnlyTheOtherSideMaySendAreRefused() throws Exception {
        byte[] wire = write(new Message.StdinEnd());

        assertThatThrownBy(() -> new FrameReader(new ByteArrayInputStream(wire), FrameType.Sender.GUEST).read())
                .isInstanceOf(ProtocolViolationException.class);
    }

    @Test
    void pathsThatLeadOutOfADirectoryAreRefused() {
        for (String path : new String[] {"", "/", "/etc/passwd", "../x", "a/../b", "a//b", "a/", "./a", "a\0b"}) {
            Frame frame = MessageCodec.encode(new Message.Artifact(1, path));
            assertThatThrownBy(() -> MessageCodec.decode(frame))
                    .as(path)
                    .isInstanceOf(ProtocolViolationException.class);
        }
    }

    private static byte[] write(Message message) throws IOException {
        var bytes = new ByteArrayOutputStream();
        new FrameWriter(bytes).send(message);
        return bytes.toByteArray();
    }

    private static String hex(Message message) throws IOException {
        return HexFormat.of().formatHex(write(message));
    }

    private static FrameType.Sender sender(Message message) {
        return switch (message) {
            case Message.FromHost _ -> FrameType.Sender.HOST;
            case Message.FromGuest _ -> FrameType.Sender.GUEST;
        };
    }

    @Provide
    Arbitrary<Message> messages() {
        Arbitrary<byte[]> data = bytes(1, 5_000);
        Arbitrary<String> text = text();
        return Arbitraries.oneOf(
                fixedSize(),
                text.map(Message.Arg::new),
                Combinators.combine(text.filter(name -> !name.isEmpty() && !name.contains("=")), text)
                        .as(Message.Env::new),
                path().map(Message.File::new),
                data.map(Message.Data::new),
                text.map(Message.ArtifactGlob::new),
                data.map(Message.Stdin::new),
                data.map(Message.Stdout::new),
                data.map(Message.Stderr::new),
                Combinators.combine(u64(), path()).as(Message.Artifact::new),
                data.map(Message.ArtifactData::new),
                Combinators.combine(Arbitraries.of(SkippedArtifact.Reason.class), path())
                        .as(Message.ArtifactSkipped::new),
                Combinators.combine(Arbitraries.of(GuestFailure.class), text).as(Message.Failure::new));
    }

    @Provide
    Arbitrary<Message> fixedSize() {
        return Arbitraries.oneOf(
                Combinators.combine(u64(), bytes(Message.ENTROPY_BYTES, Message.ENTROPY_BYTES))
                        .as(Message.Resume::new),
                limits().map(Message.Limits::new),
                Arbitraries.of(new Message.Start(), new Message.StdinEnd(), new Message.Parked(), new Message.End()),
                Combinators.combine(u64(), bytes(Message.RANDOM_BYTES, Message.RANDOM_BYTES))
                        .as(Message.Ready::new),
                exit());
    }

    private static Arbitrary<GuestLimits> limits() {
        return Combinators.combine(u32(), u32(), u32(), u32(), u64(), u64(), u64())
                .as((wall, processes, cap, inodes, workspace, tmp, memory) -> new GuestLimits(
                        Duration.ofMillis(wall),
                        processes,
                        processes,
                        cap,
                        cap,
                        inodes,
                        workspace,
                        tmp,
                        tmp,
                        memory,
                        inodes,
                        cap));
    }

    private static Arbitrary<Message.Exit> exit() {
        var flags = Arbitraries.integers().between(0, 15);
        return Combinators.combine(
                        Arbitraries.of(true, false), Arbitraries.integers().between(1, 64), flags, u64(), u64())
                .as((signaled, status, flag, time, count) -> new Message.Exit(
                        signaled,
                        status,
                        (flag & 1) != 0,
                        (flag & 2) != 0,
                        (flag & 4) != 0,
                        (flag & 8) != 0,
                        Duration.ofNanos(time),
                        Duration.ofNanos(count),
                        time,
                        count,
                        time));
    }

    private static Arbitrary<Long> u64() {
        return Arbitraries.longs().greaterOrEqual(0);
    }

    private static Arbitrary<Integer> u32() {
        return Arbitraries.integers().greaterOrEqual(0);
    }

    private static Arbitrary<byte[]> bytes(int min, int max) {
        return Arbitraries.bytes().array(byte[].class).ofMinSize(min).ofMaxSize(max);
    }

    /** Valid text of up to 1,024 bytes: a lone surrogate has no UTF-8. */
    private static Arbitrary<String> text() {
        return Arbitraries.strings()
                .ofMaxLength(255)
                .map(text -> new String(
                        text.getBytes(java.nio.charset.StandardCharsets.UTF_8),
                        java.nio.charset.StandardCharsets.UTF_8));
    }

    private static Arbitrary<String> path() {
        Arbitrary<String> name = Arbitraries.strings()
                .alpha()
                .numeric()
                .withChars('.', '-', ' ', 'é', '\\')
                .ofMinLength(1)
                .ofMaxLength(20)
                .filter(part -> !part.equals(".") && !part.equals(".."));
        return name.list().ofMinSize(1).ofMaxSize(5).map(parts -> String.join("/", parts));
    }
}
