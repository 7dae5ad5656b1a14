package io.hexr.sandbox.exec;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

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

    /** Bytes that are not UTF-8 become U+FFFD. A character that the cap cut in two is dropped: it was not what the program wrote. */
    synchronized String text() {
        byte[] all = bytes.toByteArray();
        int length = truncated ? all.length - unfinishedTail(all) : all.length;
        spoilSurrogates(all, length);
        return new String(all, 0, length, StandardCharsets.UTF_8);
    }

    /**
     * The bytes of a surrogate (ED, then A0 to BF) are no prefix of a character, so that each becomes a U+FFFD (Unicode 3.9, "maximal
     * subpart"; Python and browsers do so). Java would make one of them all. FF begins nothing, and makes Java count them one by one.
     */
    private static void spoilSurrogates(byte[] bytes, int length) {
        for (int i = 0; i + 1 < length; i++) {
            if (bytes[i] == (byte) 0xed && (bytes[i + 1] & 0xe0) == 0xa0) {
                bytes[i] = (byte) 0xff;
            }
        }
    }

    /** How many bytes at the end begin a UTF-8 sequence that is not complete (RFC 3629, section 3). */
    private static int unfinishedTail(byte[] bytes) {
        for (int back = 1; back <= Math.min(3, bytes.length); back++) {
            int b = bytes[bytes.length - back] & 0xff;
            if (b < 0x80) {
                return 0;
            }
            if (b >= 0xc0) {
                int needed = b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : 2;
                return needed > back ? back : 0;
            }
        }
        return 0;
    }
}
