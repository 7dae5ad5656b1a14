package io.hexr.sandbox.json;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** UTF-8 without mercy: what is malformed is refused, never replaced, so that a program runs exactly as it was sent or not at all. */
public final class Utf8 {
    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private Utf8() {}

    /** The text of a body. A byte order mark at its start is skipped, which RFC 8259, section 8.1 allows. */
    public static CharBuffer decode(byte[] bytes) throws EngineException {
        var in = ByteBuffer.wrap(bytes);
        var out = CharBuffer.allocate(bytes.length);
        var result = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT)
                .decode(in, out, true);
        if (result.isError()) {
            throw new EngineException(
                    ErrorCode.INVALID_JSON,
                    "The body is not UTF-8: the byte at offset %d begins no character.".formatted(in.position()));
        }
        out.flip();
        if (out.hasRemaining() && out.get(0) == BYTE_ORDER_MARK) {
            out.get();
        }
        return out.slice();
    }

    /** A JSON escape such as {@code \ud800} can make a string that no UTF-8 stands for. */
    public static boolean hasLoneSurrogate(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                boolean pair = Character.isHighSurrogate(c)
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1));
                if (!pair) {
                    return true;
                }
                i++;
            }
        }
        return false;
    }

    /** Bytes of a well-formed string in UTF-8, without encoding it. */
    public static long length(String text) {
        return text.chars()
                .mapToLong(c -> c < 0x80 ? 1 : c < 0x800 ? 2 : Character.isSurrogate((char) c) ? 2 : 3)
                .sum();
    }
}
