package io.hexr.sandbox.sandbox.firecracker;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.hexr.sandbox.host.Backoff;
import io.hexr.sandbox.host.Deadline;
import io.hexr.sandbox.host.UnixConnection;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A client of the HTTP server that Firecracker has on a unix socket. The JDK's own client knows no unix sockets.
 *
 * <p>Every request has a connection and a deadline of its own. When the deadline passes, or the server dies, the request fails; what became of
 * it is then unknown, and the caller ends the machine.
 */
record FirecrackerApi(Path socket) {
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(2);

    /**
     * Waits until the server listens. There is no event for that: a watch on the directory tells of bind(2), but until listen(2) a connection is
     * refused.
     *
     * @param alive whether the server's process still runs
     */
    void awaitListening(Deadline deadline, BooleanSupplier alive) throws IOException {
        var backoff = new Backoff(deadline.remaining(), LONGEST_PAUSE);
        while (true) {
            try (SocketChannel _ = UnixConnection.open(socket, deadline)) {
                return;
            } catch (SocketException | SocketTimeoutException notYet) {
                if (!alive.getAsBoolean()) {
                    throw new IOException("Firecracker ended before its API listened", notYet);
                }
                if (!backoff.pause()) {
                    throw new IOException("Firecracker's API does not listen in time", notYet);
                }
            }
        }
    }

    FirecrackerVersion version(Deadline deadline) throws IOException {
        return FirecrackerVersion.parse(
                json(exchange("GET", "/version", new byte[0], deadline), "firecracker_version"));
    }

    void send(ApiRequest request, Deadline deadline) throws IOException {
        exchange(request.method(), request.path(), JsonMapper.shared().writeValueAsBytes(request), deadline);
    }

    private String exchange(String method, String path, byte[] body, Deadline deadline) throws IOException {
        String name = method + " " + path;
        HttpResponse response;
        try (SocketChannel channel = UnixConnection.open(socket, deadline)) {
            response = UnixConnection.within(deadline, channel, () -> {
                write(channel, head(name, body.length), body);
                return HttpResponse.read(new BufferedInputStream(Channels.newInputStream(channel)));
            });
        } catch (IOException e) {
            throw new IOException("Firecracker did not answer %s: %s".formatted(name, e), e);
        }
        if (!response.isSuccess()) {
            throw new ApiFault(name, response.status(), fault(response.body()));
        }
        return response.body();
    }

    private static String head(String name, int bodyLength) {
        return """
                %s HTTP/1.1\r
                Host: localhost\r
                Accept: application/json\r
                Content-Type: application/json\r
                Content-Length: %d\r
                \r
                """.formatted(name, bodyLength);
    }

    /** In one go: a request in pieces would be answered no sooner. */
    private static void write(SocketChannel channel, String head, byte[] body) throws IOException {
        var message = new ByteArrayOutputStream();
        message.writeBytes(head.getBytes(ISO_8859_1));
        message.writeBytes(body);
        ByteBuffer rest = ByteBuffer.wrap(message.toByteArray());
        while (rest.hasRemaining()) {
            channel.write(rest);
        }
    }

    private static String fault(String body) {
        try {
            return json(body, "fault_message");
        } catch (IOException e) {
            return body;
        }
    }

    private static String json(String body, String field) throws IOException {
        try {
            JsonNode value = JsonMapper.shared().readTree(body.getBytes(UTF_8)).required(field);
            return value.asString();
        } catch (JacksonException e) {
            throw new IOException("Firecracker's answer has no %s: %s".formatted(field, body), e);
        }
    }
}
