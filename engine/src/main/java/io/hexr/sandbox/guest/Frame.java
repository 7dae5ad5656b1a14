package io.hexr.sandbox.guest;

/** One frame of the agent protocol. */
record Frame(FrameType type, byte[] payload) {
    /** {@code u8} type and {@code u32} length. */
    static final int HEADER_BYTES = 5;

    static final int MAX_PAYLOAD_BYTES = 262_144;

    Frame {
        if (payload.length > MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException(
                    "a %s frame of %,d bytes; %,d is the most".formatted(type, payload.length, MAX_PAYLOAD_BYTES));
        }
    }
}
