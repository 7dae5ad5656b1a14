package io.hexr.sandbox.guest;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Writes frames to a byte stream. What was written may be held back until {@link #flush}, so that small frames which belong together go out
 * in one write and the reader wakes once; a large one goes out at once.
 */
final class FrameWriter {
    private final OutputStream out;

    FrameWriter(OutputStream out) {
        this.out = new BufferedOutputStream(out);
    }

    void write(Message message) throws IOException {
        Frame frame = MessageCodec.encode(message);
        ByteBuffer bytes = ByteBuffer.allocate(Frame.HEADER_BYTES + frame.payload().length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) frame.type().code())
                .putInt(frame.payload().length)
                .put(frame.payload());
        out.write(bytes.array());
    }

    /** Writes and flushes. */
    void send(Message message) throws IOException {
        write(message);
        flush();
    }

    void flush() throws IOException {
        out.flush();
    }
}
