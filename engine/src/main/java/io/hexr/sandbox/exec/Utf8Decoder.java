package io.hexr.sandbox.exec;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Makes text of one output stream, piece by piece: a character that is split over pieces comes whole with the second one, and what comes of all
 * pieces together does not depend on where they were cut. Bytes that are not UTF-8 become U+FFFD. Belongs to one thread.
 */
public final class Utf8Decoder {
    private byte[] unfinished = new byte[0];

    /** What the pieces so far make, less what earlier calls gave; empty if this one only begins a character. */
    public String decode(byte[] piece) {
        byte[] bytes = Arrays.copyOf(unfinished, unfinished.length + piece.length);
        System.arraycopy(piece, 0, bytes, unfinished.length, piece.length);
        int length = bytes.length - unfinishedTail(bytes);
        unfinished = Arrays.copyOfRange(bytes, length, bytes.length);
        return text(bytes, length);
    }

    /**
     * The stream is over; what is left.
     *
     * @param truncated whether more would have come: then a character that the cap cut in two is dropped, it was not what the program wrote
     */
    public String end(boolean truncated) {
        byte[] rest = truncated ? new byte[0] : unfinished;
        unfinished = new byte[0];
        return text(rest, rest.length);
    }

    /**
     * The bytes of a surrogate (ED, then A0 to BF) are no prefix of a character, so that each becomes a U+FFFD (Unicode 3.9, "maximal
     * subpart"; Python and browsers do so). Java would make one of them all. FF begins nothing, and makes Java count them one by one.
     */
    private static String text(byte[] bytes, int length) {
        for (int i = 0; i + 1 < length; i++) {
            if (bytes[i] == (byte) 0xed && (bytes[i + 1] & 0xe0) == 0xa0) {
                bytes[i] = (byte) 0xff;
            }
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    /**
     * How many bytes at the end begin a UTF-8 sequence that is not complete (RFC 3629, section 3). The first of them can only begin a
     * character and never continue one, so that to cut before it changes nothing for what stands before.
     */
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
