package io.hexr.sandbox.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads an event stream (WHATWG HTML, section 9.2.6). Nothing is read ahead of the event that is asked for but one buffer, so a reader that is slow slows the sender down.
 *
 * <p>For one thread.
 */
final class EventReader {
    private static final int BUFFER_BYTES = 16_384;

    private final InputStream in;
    private final long maxBytes;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int position;
    private int end;
    private long total;
    private boolean afterCarriageReturn;

    /** @param maxBytes of the stream as a whole, and with it of each event */
    EventReader(InputStream in, long maxBytes) {
        this.in = in;
        this.maxBytes = maxBytes;
    }

    /** The next event; null at the end of the stream, also when it ends within an event. */
    @Nullable
    ServerSentEvent next() throws IOException {
        var name = "message";
        StringBuilder data = null;
        for (var line = line(); line != null; line = line()) {
            if (line.isEmpty()) {
                if (data != null) {
                    return new ServerSentEvent(name, data.toString());
                }
                name = "message";
            } else if (line.startsWith("data:")) {
                data = data == null ? new StringBuilder() : data.append('\n');
                data.append(value(line));
            } else if (line.startsWith("event:")) {
                name = value(line);
            }
            // all else is a comment, as heartbeats are, or an id, which serves to take a stream up again: a run cannot
            // be
        }
        return null;
    }

    private static String value(String line) {
        int start = line.indexOf(':') + 1;
        return line.substring(line.startsWith(" ", start) ? start + 1 : start);
    }

    private @Nullable String line() throws IOException {
        var line = new ByteArrayOutputStream();
        while (position < end || fill()) {
            if (afterCarriageReturn && buffer[position] == '\n') {
                position++;
                afterCarriageReturn = false;
                continue;
            }
            afterCarriageReturn = false;
            int start = position;
            while (position < end && buffer[position] != '\n' && buffer[position] != '\r') {
                position++;
            }
            line.write(buffer, start, position - start);
            if (position < end) {
                afterCarriageReturn = buffer[position++] == '\r';
                return line.toString(UTF_8);
            }
        }
        return null;
    }

    private boolean fill() throws IOException {
        position = 0;
        end = Math.max(0, in.read(buffer));
        total += end;
        if (total > maxBytes) {
            throw new InvalidAnswerException("the stream has more than %d bytes".formatted(maxBytes), null);
        }
        return end > 0;
    }
}
