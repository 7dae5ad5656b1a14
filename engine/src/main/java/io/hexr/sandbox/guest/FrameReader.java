package io.hexr.sandbox.guest;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Reads frames of one sender from a byte stream. Type and length are checked before anything is allocated for the payload. */
final class FrameReader {
    private final InputStream in;
    private final FrameType.Sender sender;

    FrameReader(InputStream in, FrameType.Sender sender) {
        this.in = new BufferedInputStream(in);
        this.sender = sender;
    }

    /**
     * The next frame.
     *
     * @throws EOFException if the stream ends before the frame is complete
     */
    Frame read() throws IOException, ProtocolViolationException {
        ByteBuffer header = ByteBuffer.wrap(readFully(Frame.HEADER_BYTES)).order(ByteOrder.LITTLE_ENDIAN);
        int code = Byte.toUnsignedInt(header.get());
        FrameType type = FrameType.ofCode(code);
        if (type == null || type.sender() != sender) {
            throw new ProtocolViolationException("unknown frame type 0x%02x".formatted(code));
        }
        long length = Integer.toUnsignedLong(header.getInt());
        if (length > Frame.MAX_PAYLOAD_BYTES) {
            throw new ProtocolViolationException("a %s frame of %,d bytes".formatted(type, length));
        }
        return new Frame(type, readFully((int) length));
    }

    /** Whether the stream ends here; waits until that is known. What follows is lost if it does not. */
    boolean atEnd() throws IOException {
        return in.read() < 0;
    }

    private byte[] readFully(int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("the stream ended");
        }
        return bytes;
    }
}
