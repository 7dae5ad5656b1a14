package io.hexr.sandbox.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One connection, byte by byte: can send what no HTTP library would. */
final class RawClient implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** For connecting and for each read. */
    private static final int TIMEOUT_MS = 20_000;

    private final Socket socket;
    private final InputStream in;

    RawClient(int port) throws IOException {
        this(new Socket(), port);
    }

    /** Connects this socket, which may be one of TLS. */
    RawClient(Socket socket, int port) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(TIMEOUT_MS);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MS);
        in = new BufferedInputStream(socket.getInputStream());
    }

    /** A whole answer. */
    record Reply(int status, Map<String, String> headers, String body) {
        JsonNode json() {
            return JSON.readTree(body);
        }

        String header(String name) {
            return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
        }
    }

    static String post(String body) {
        return post(body, "Content-Type: application/json\r\n");
    }

    static String post(String body, String headers) {
        return "POST /api/v1/exec HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n%s"
                .formatted(headers, body.getBytes(StandardCharsets.UTF_8).length, body);
    }

    RawClient send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.UTF_8));
    }

    RawClient send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    /** Says that nothing more will be sent, and goes on reading. */
    RawClient halfClose() throws IOException {
        socket.shutdownOutput();
        return this;
    }

    Reply receive() throws IOException {
        return receive(false);
    }

    /** The answer to HEAD has the length of a body but no body. */
    Reply receiveHead() throws IOException {
        return receive(true);
    }

    /** The next piece of an answer of unknown length (RFC 9112, section 7.1); empty at its end. */
    byte[] chunk() throws IOException {
        int size = Integer.parseInt(line(), 16);
        byte[] chunk = in.readNBytes(size);
        line();
        return chunk;
    }

    /** Ends the connection by a reset, as the kernel of a client does that dies with something unread. */
    void reset() throws IOException {
        socket.setOption(StandardSocketOptions.SO_LINGER, 0);
        socket.close();
    }

    /** Returns when the first byte of an answer is there, without taking it. */
    RawClient awaitAnswer() throws IOException {
        in.mark(1);
        if (in.read() < 0) {
            throw new IOException("the server closed the connection");
        }
        in.reset();
        return this;
    }

    private Reply receive(boolean headOnly) throws IOException {
        String statusLine = line();
        var headers = new LinkedHashMap<String, String>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        int length = headOnly ? 0 : Integer.parseInt(headers.getOrDefault("content-length", "0"));
        String body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
        return new Reply(Integer.parseInt(statusLine.substring(9, 12)), headers, body);
    }

    private String line() throws IOException {
        var line = new ByteArrayOutputStream();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("the server closed the connection after: " + line);
            }
            line.write(c);
        }
        return line.toString(StandardCharsets.ISO_8859_1).strip();
    }

    /** Whether the server has closed its side; waits for that or for a byte. */
    boolean isClosedByServer() throws IOException {
        try {
            return in.read() < 0;
        } catch (SocketException reset) {
            return true;
        }
    }

    /** Takes everything: how much there was before the server gave up. */
    long bytesUntilCutOff() throws IOException {
        long count = 0;
        byte[] buffer = new byte[1 << 16];
        try {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                count += n;
            }
        } catch (SocketException reset) {
            return count;
        }
        return count;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
