package io.hexr.sandbox.sandbox.firecracker;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An answer in HTTP/1.1 as Firecracker's server writes it: always with the length of its body, never chunked. */
record HttpResponse(int status, String body) {
    private static final int MAX_LINE_BYTES = 8 << 10;
    private static final int MAX_HEADERS = 64;
    private static final int MAX_BODY_BYTES = 1 << 20;
    private static final Pattern STATUS_LINE = Pattern.compile("HTTP/1\\.[01] (\\d{3})(?: .*)?");

    boolean isSuccess() {
        return status / 100 == 2;
    }

    static HttpResponse read(InputStream in) throws IOException {
        String first = readLine(in);
        Matcher statusLine = STATUS_LINE.matcher(first);
        if (!statusLine.matches()) {
            throw new IOException("not an answer in HTTP: " + first);
        }
        int length = bodyLength(in);
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException("the answer ended in its body");
        }
        return new HttpResponse(Integer.parseInt(statusLine.group(1)), new String(body, UTF_8));
    }

    private static int bodyLength(InputStream in) throws IOException {
        int length = 0;
        for (int headers = 0; headers <= MAX_HEADERS; headers++) {
            String line = readLine(in);
            if (line.isEmpty()) {
                return length;
            }
            int colon = line.indexOf(':');
            if (colon > 0 && line.substring(0, colon).toLowerCase(Locale.ROOT).equals("content-length")) {
                length = parseLength(line.substring(colon + 1).strip());
            }
        }
        throw new IOException("the answer has more than " + MAX_HEADERS + " headers");
    }

    private static int parseLength(String text) throws IOException {
        try {
            int length = Integer.parseInt(text);
            if (length >= 0 && length <= MAX_BODY_BYTES) {
                return length;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new IOException("the answer's length is not from 0 to %d: %s".formatted(MAX_BODY_BYTES, text));
    }

    private static String readLine(InputStream in) throws IOException {
        var line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the answer ended in its head");
            }
            if (line.size() == MAX_LINE_BYTES) {
                throw new IOException("the answer has a line of more than " + MAX_LINE_BYTES + " bytes");
            }
            line.write(next);
        }
        String text = line.toString(ISO_8859_1);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }
}
