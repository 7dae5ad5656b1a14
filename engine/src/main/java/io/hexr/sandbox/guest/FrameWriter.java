package io.hexr.sandbox.guest;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Writes frames to a byte stream, each with one write: the reader then wakes once and finds it whole. */
final class FrameWriter {
    private final OutputStream out;

    FrameWriter(OutputStream out) {
        this.out = out;
    }

    void write(Message message) throws IOException {
        Frame frame = MessageCodec.encode(message);
        ByteBuffer bytes = ByteBuffer.allocate(Frame.HEADER_BYTES + frame.payload().length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) frame.type().code())
                .putInt(frame.payload().length)
                .put(frame.payload());
        out.write(bytes.array());
        out.flush();
    }
}
