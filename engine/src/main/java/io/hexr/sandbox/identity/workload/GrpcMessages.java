package io.hexr.sandbox.identity.workload;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Puts the messages of a gRPC stream together again: one byte that says "not compressed", the length in four bytes, the message. */
final class GrpcMessages {
    private static final int PREFIX = 5;

    /** An SVID with its bundle has a few kilobytes; gRPC's own default is the same. */
    private static final int MAX_BYTES = 4 << 20;

    /** A message of no fields. */
    static final byte[] EMPTY = new byte[PREFIX];

    private final ByteArrayOutputStream pending = new ByteArrayOutputStream();

    void append(ByteBuffer data) throws IOException {
        if (pending.size() + data.remaining() > MAX_BYTES) {
            throw new IOException("the Workload API sent a message of more than %d bytes".formatted(MAX_BYTES));
        }
        byte[] bytes = new byte[data.remaining()];
        data.get(bytes);
        pending.writeBytes(bytes);
    }

    /** The next message that is complete. */
    Optional<byte[]> next() throws IOException {
        if (pending.size() < PREFIX) {
            return Optional.empty();
        }
        var buffer = ByteBuffer.wrap(pending.toByteArray());
        if (buffer.get() != 0) {
            throw new IOException("the Workload API sent a compressed message");
        }
        int length = buffer.getInt();
        if (length < 0 || length > MAX_BYTES) {
            throw new IOException("the Workload API sent a message of more than %d bytes".formatted(MAX_BYTES));
        }
        if (buffer.remaining() < length) {
            return Optional.empty();
        }
        byte[] message = new byte[length];
        buffer.get(message);
        pending.reset();
        pending.write(buffer.array(), buffer.position(), buffer.remaining());
        return Optional.of(message);
    }
}
