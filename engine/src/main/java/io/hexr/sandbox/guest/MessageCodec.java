package io.hexr.sandbox.guest;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.hexr.sandbox.guest.GuestOutcome.GuestFailure;
import io.hexr.sandbox.guest.GuestOutcome.SkippedArtifact;
import java.time.Duration;
import java.util.function.ToIntFunction;

/**
 * Messages to frames and back; the only place that knows the layout of payloads. Decoding checks all that can be told from one frame alone:
 * sizes, ranges, paths. What depends on the frames before it is checked by the session.
 */
final class MessageCodec {
    private static final int FAILURE_TEXT_MAX_BYTES = 1_024;
    private static final int SIGNAL_MAX = 64;

    private MessageCodec() {}

    static Frame encode(Message message) {
        return switch (message) {
            case Message.Resume(long clock, byte[] entropy) -> encodeClock(FrameType.RESUME, clock, entropy);
            case Message.Limits(GuestLimits limits) -> encodeLimits(limits);
            case Message.Arg(String value) -> PayloadWriter.text(FrameType.ARG, value);
            case Message.Env(String name, String value) -> PayloadWriter.text(FrameType.ENV, name + "=" + value);
            case Message.File(String path) -> encodeTagged(FrameType.FILE, 0, path);
            case Message.Data(byte[] bytes) -> new Frame(FrameType.DATA, bytes);
            case Message.ArtifactGlob(String pattern) -> PayloadWriter.text(FrameType.ARTIFACT_GLOB, pattern);
            case Message.Start() -> new Frame(FrameType.START, new byte[0]);
            case Message.Stdin(byte[] bytes) -> new Frame(FrameType.STDIN, bytes);
            case Message.StdinEnd() -> new Frame(FrameType.STDIN_END, new byte[0]);
            case Message.Parked() -> new Frame(FrameType.PARKED, new byte[0]);
            case Message.Ready(long clock, byte[] random) -> encodeClock(FrameType.READY, clock, random);
            case Message.Stdout(byte[] bytes) -> new Frame(FrameType.STDOUT, bytes);
            case Message.Stderr(byte[] bytes) -> new Frame(FrameType.STDERR, bytes);
            case Message.Exit exit -> encodeExit(exit);
            case Message.Artifact(long size, String path) -> {
                byte[] bytes = path.getBytes(UTF_8);
                yield new PayloadWriter(8 + bytes.length).u64(size).bytes(bytes).frame(FrameType.ARTIFACT);
            }
            case Message.ArtifactData(byte[] bytes) -> new Frame(FrameType.ARTIFACT_DATA, bytes);
            case Message.ArtifactSkipped(SkippedArtifact.Reason reason, String path) ->
                encodeTagged(FrameType.ARTIFACT_SKIPPED, code(reason), path);
            case Message.End() -> new Frame(FrameType.END, new byte[0]);
            case Message.Failure(GuestFailure failure, String text) -> {
                byte[] bytes = text.getBytes(UTF_8);
                yield new PayloadWriter(2 + bytes.length)
                        .u16(code(failure))
                        .bytes(bytes)
                        .frame(FrameType.FAILURE);
            }
        };
    }

    static Message decode(Frame frame) throws ProtocolViolationException {
        PayloadReader fields = new PayloadReader(frame);
        Message message = switch (frame.type()) {
            case RESUME -> {
                requireVersion(fields);
                yield new Message.Resume(fields.u64(), fields.bytes(Message.ENTROPY_BYTES));
            }
            case LIMITS -> new Message.Limits(decodeLimits(fields));
            case ARG -> new Message.Arg(fields.text());
            case ENV -> decodeEnv(fields);
            case FILE -> {
                fields.require(fields.u8() == 0, "unknown flags");
                yield new Message.File(fields.path());
            }
            case DATA -> new Message.Data(fields.data());
            case ARTIFACT_GLOB -> new Message.ArtifactGlob(fields.text());
            case START -> new Message.Start();
            case STDIN -> new Message.Stdin(fields.data());
            case STDIN_END -> new Message.StdinEnd();
            case PARKED -> new Message.Parked();
            case READY -> {
                requireVersion(fields);
                yield new Message.Ready(fields.u64(), fields.bytes(Message.RANDOM_BYTES));
            }
            case STDOUT -> new Message.Stdout(fields.data());
            case STDERR -> new Message.Stderr(fields.data());
            case EXIT -> decodeExit(fields);
            case ARTIFACT -> new Message.Artifact(fields.u64(), fields.path());
            case ARTIFACT_DATA -> new Message.ArtifactData(fields.data());
            case ARTIFACT_SKIPPED ->
                new Message.ArtifactSkipped(
                        constant(fields, fields.u8(), SkippedArtifact.Reason.values(), MessageCodec::code),
                        fields.path());
            case END -> new Message.End();
            case FAILURE -> {
                fields.require(frame.payload().length <= 2 + FAILURE_TEXT_MAX_BYTES, "text too long");
                yield new Message.Failure(
                        constant(fields, fields.u16(), GuestFailure.values(), MessageCodec::code), fields.text());
            }
        };
        fields.end();
        return message;
    }

    /** The layout of RESUME and READY. */
    private static Frame encodeClock(FrameType type, long clock, byte[] random) {
        return new PayloadWriter(4 + 8 + random.length)
                .u32(Message.VERSION)
                .u64(clock)
                .bytes(random)
                .frame(type);
    }

    private static void requireVersion(PayloadReader fields) throws ProtocolViolationException {
        int version = fields.u32();
        fields.require(version == Message.VERSION, "version " + version);
    }

    /** The layout of FILE and ARTIFACT_SKIPPED. */
    private static Frame encodeTagged(FrameType type, int tag, String path) {
        byte[] bytes = path.getBytes(UTF_8);
        return new PayloadWriter(1 + bytes.length).u8(tag).bytes(bytes).frame(type);
    }

    private static Message.Env decodeEnv(PayloadReader fields) throws ProtocolViolationException {
        String text = fields.text();
        int equals = text.indexOf('=');
        fields.require(equals > 0, "no name");
        return new Message.Env(text.substring(0, equals), text.substring(equals + 1));
    }

    private static Frame encodeLimits(GuestLimits limits) {
        return new PayloadWriter(72)
                .u32(Math.toIntExact(limits.wallTime().toMillis()))
                .u32(limits.processes())
                .u32(limits.openFiles())
                .u32(limits.stdoutCap())
                .u32(limits.stderrCap())
                .u32(limits.inodes())
                .u64(limits.workspaceBytes())
                .u64(limits.tmpBytes())
                .u64(limits.shmBytes())
                .u64(limits.memoryBytes())
                .u32(limits.maxArtifacts())
                .u32(0)
                .u64(limits.artifactBytes())
                .frame(FrameType.LIMITS);
    }

    private static GuestLimits decodeLimits(PayloadReader fields) throws ProtocolViolationException {
        Duration wallTime = Duration.ofMillis(fields.u32());
        int processes = fields.u32();
        int openFiles = fields.u32();
        int stdoutCap = fields.u32();
        int stderrCap = fields.u32();
        int inodes = fields.u32();
        long workspaceBytes = fields.u64();
        long tmpBytes = fields.u64();
        long shmBytes = fields.u64();
        long memoryBytes = fields.u64();
        int maxArtifacts = fields.u32();
        fields.require(fields.u32() == 0, "reserved field in use");
        long artifactBytes = fields.u64();
        fields.require(artifactBytes <= Integer.MAX_VALUE, "artifacts too large");
        return new GuestLimits(
                wallTime,
                processes,
                openFiles,
                stdoutCap,
                stderrCap,
                inodes,
                workspaceBytes,
                tmpBytes,
                shmBytes,
                memoryBytes,
                maxArtifacts,
                artifactBytes);
    }

    private static Frame encodeExit(Message.Exit exit) {
        int flags = (exit.timedOut() ? 1 : 0)
                | (exit.outOfMemory() ? 2 : 0)
                | (exit.stdoutTruncated() ? 4 : 0)
                | (exit.stderrTruncated() ? 8 : 0);
        return new PayloadWriter(48)
                .u8(exit.signaled() ? 1 : 0)
                .u8(exit.statusOrSignal())
                .u8(flags)
                .u8(0)
                .u32(0)
                .u64(exit.wallTime().toNanos())
                .u64(exit.cpuTime().toNanos())
                .u64(exit.peakMemoryBytes())
                .u64(exit.stdoutBytes())
                .u64(exit.stderrBytes())
                .frame(FrameType.EXIT);
    }

    private static Message.Exit decodeExit(PayloadReader fields) throws ProtocolViolationException {
        int kind = fields.u8();
        int statusOrSignal = fields.u8();
        int flags = fields.u8();
        fields.require(kind <= 1, "unknown kind");
        fields.require(kind == 0 || (statusOrSignal >= 1 && statusOrSignal <= SIGNAL_MAX), "no such signal");
        fields.require(flags <= 15, "unknown flags");
        fields.require(fields.u8() == 0 && fields.u32() == 0, "reserved field in use");
        return new Message.Exit(
                kind == 1,
                statusOrSignal,
                (flags & 1) != 0,
                (flags & 2) != 0,
                (flags & 4) != 0,
                (flags & 8) != 0,
                Duration.ofNanos(fields.u64()),
                Duration.ofNanos(fields.u64()),
                fields.u64(),
                fields.u64(),
                fields.u64());
    }

    private static int code(SkippedArtifact.Reason reason) {
        return switch (reason) {
            case TOO_MANY -> 1;
            case TOO_LARGE -> 2;
            case UNREADABLE -> 3;
        };
    }

    private static int code(GuestFailure failure) {
        return switch (failure) {
            case INTERNAL -> 1;
            case PROTOCOL -> 2;
            case WORKSPACE_FULL -> 3;
            case INTERPRETER -> 4;
            case HANDSHAKE -> 5;
        };
    }

    private static <E> E constant(PayloadReader fields, int code, E[] values, ToIntFunction<E> codeOf)
            throws ProtocolViolationException {
        for (E value : values) {
            if (codeOf.applyAsInt(value) == code) {
                return value;
            }
        }
        throw fields.violation("unknown code " + code);
    }
}
