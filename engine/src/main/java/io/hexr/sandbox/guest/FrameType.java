package io.hexr.sandbox.guest;

import org.jspecify.annotations.Nullable;

/** The kinds of frame of {@code docs/agent-protocol.md}, with the byte that stands for each. */
enum FrameType {
    RESUME(0x01),
    LIMITS(0x02),
    ARG(0x03),
    ENV(0x04),
    FILE(0x05),
    DATA(0x06),
    ARTIFACT_GLOB(0x07),
    START(0x08),
    STDIN(0x09),
    STDIN_END(0x0a),
    PARKED(0x81),
    READY(0x82),
    STDOUT(0x83),
    STDERR(0x84),
    EXIT(0x85),
    ARTIFACT(0x86),
    ARTIFACT_DATA(0x87),
    ARTIFACT_SKIPPED(0x88),
    END(0x89),
    FAILURE(0x8f);

    /** Who sends a frame. A reader accepts only the frames of the other side. */
    enum Sender {
        HOST,
        GUEST
    }

    private static final @Nullable FrameType[] BY_CODE = new @Nullable FrameType[256];

    static {
        for (FrameType type : values()) {
            BY_CODE[type.code] = type;
        }
    }

    private final int code;

    FrameType(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    Sender sender() {
        return code < 0x80 ? Sender.HOST : Sender.GUEST;
    }

    /** The type of a code between 0 and 255, null if there is none. */
    static @Nullable FrameType ofCode(int code) {
        return BY_CODE[code];
    }
}
