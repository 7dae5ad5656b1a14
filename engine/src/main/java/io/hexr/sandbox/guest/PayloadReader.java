package io.hexr.sandbox.guest;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Takes the fields of a payload one by one; a payload that is too short, too long or out of range is a protocol violation. */
final class PayloadReader {
    /** The agent walks 16 directories deep and a name has at most 255 bytes. */
    private static final int MAX_PATH_BYTES = 8_192;

    private final FrameType type;
    private final ByteBuffer fields;

    PayloadReader(Frame frame) {
        this.type = frame.type();
        this.fields = ByteBuffer.wrap(frame.payload()).order(ByteOrder.LITTLE_ENDIAN);
    }

    int u8() throws ProtocolViolationException {
        requireRemaining(1);
        return Byte.toUnsignedInt(fields.get());
    }

    int u16() throws ProtocolViolationException {
        requireRemaining(2);
        return Short.toUnsignedInt(fields.getShort());
    }

    /** No number of the protocol needs the upper half of its range. */
    int u32() throws ProtocolViolationException {
        requireRemaining(4);
        int value = fields.getInt();
        require(value >= 0, "number out of range");
        return value;
    }

    /** No number of the protocol needs the upper half of its range. */
    long u64() throws ProtocolViolationException {
        requireRemaining(8);
        long value = fields.getLong();
        require(value >= 0, "number out of range");
        return value;
    }

    byte[] bytes(int length) throws ProtocolViolationException {
        requireRemaining(length);
        byte[] bytes = new byte[length];
        fields.get(bytes);
        return bytes;
    }

    /** All that is left, at least one byte. */
    byte[] data() throws ProtocolViolationException {
        requireRemaining(1);
        return bytes(fields.remaining());
    }

    /** All that is left, as text. A guest's text may be any bytes, a file's name for one: what is not UTF-8 becomes U+FFFD. */
    String text() {
        return UTF_8.decode(fields).toString();
    }

    /** All that is left, as a path that stays below the directory it is resolved against. */
    String path() throws ProtocolViolationException {
        require(fields.remaining() <= MAX_PATH_BYTES, "path too long");
        String path = text();
        require(path.indexOf('\0') < 0, "NUL byte in a path");
        for (String part : path.split("/", -1)) {
            require(!part.isEmpty() && !part.equals(".") && !part.equals(".."), "path is not relative and plain");
        }
        return path;
    }

    void end() throws ProtocolViolationException {
        require(!fields.hasRemaining(), "too long");
    }

    void require(boolean condition, String violation) throws ProtocolViolationException {
        if (!condition) {
            throw violation(violation);
        }
    }

    ProtocolViolationException violation(String violation) {
        return new ProtocolViolationException(type + " frame: " + violation);
    }

    private void requireRemaining(int bytes) throws ProtocolViolationException {
        require(fields.remaining() >= bytes, "too short");
    }
}
