package io.hexr.sandbox.exec;

import java.io.ByteArrayOutputStream;

/** The head of one output stream, at most {@code cap} bytes, decoded once at the end so that a character split over frames stays whole. */
final class OutputBuffer {
    private final int cap;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private boolean truncated;

    OutputBuffer(int cap) {
        this.cap = cap;
    }

    synchronized void append(byte[] chunk) {
        int taken = Math.min(chunk.length, cap - bytes.size());
        bytes.write(chunk, 0, taken);
        truncated |= taken < chunk.length;
    }

    synchronized void markTruncated() {
        truncated = true;
    }

    synchronized boolean truncated() {
        return truncated;
    }

    synchronized String text() {
        var decoder = new Utf8Decoder();
        return decoder.decode(bytes.toByteArray()).concat(decoder.end(truncated));
    }
}
