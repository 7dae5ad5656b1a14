package io.hexr.sandbox.guest;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Puts the fields of a payload together, the counterpart of {@link PayloadReader}. */
final class PayloadWriter {
    private final ByteBuffer fields;

    PayloadWriter(int bytes) {
        this.fields = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    PayloadWriter u8(int value) {
        fields.put((byte) value);
        return this;
    }

    PayloadWriter u16(int value) {
        fields.putShort((short) value);
        return this;
    }

    PayloadWriter u32(int value) {
        fields.putInt(value);
        return this;
    }

    PayloadWriter u64(long value) {
        fields.putLong(value);
        return this;
    }

    PayloadWriter bytes(byte[] bytes) {
        fields.put(bytes);
        return this;
    }

    Frame frame(FrameType type) {
        if (fields.hasRemaining()) {
            throw new IllegalArgumentException("%s: %d bytes missing".formatted(type, fields.remaining()));
        }
        return new Frame(type, fields.array());
    }

    static Frame text(FrameType type, String text) {
        return new Frame(type, text.getBytes(UTF_8));
    }
}
