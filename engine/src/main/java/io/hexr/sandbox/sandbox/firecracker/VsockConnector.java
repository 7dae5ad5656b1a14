package io.hexr.sandbox.sandbox.firecracker;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.hexr.sandbox.host.Backoff;
import io.hexr.sandbox.host.Deadline;
import io.hexr.sandbox.host.UnixConnection;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Connects to a port of a guest through Firecracker's vsock socket: {@code CONNECT <port>\n} is answered by {@code OK <host port>\n} once the
 * guest has accepted, by an end of stream when nobody listens there, and by nothing when the request was lost: the first one after a resume
 * often is, because the guest still clears the connections of the snapshot. So each try has a short deadline, twice that of the one before, and
 * the guest must not mind connections that end early.
 */
record VsockConnector(Path socket, int port) {
    private static final Duration FIRST_PATIENCE = Duration.ofMillis(10);

    /**
     * From here on it grows no more. In emulation a guest that has to fetch its memory needs more than two seconds to accept, and would be
     * given up for ever.
     */
    private static final Duration LAST_PATIENCE = Duration.ofSeconds(8);

    private static final Duration LONGEST_PAUSE = Duration.ofMillis(2);
    private static final int MAX_ANSWER_BYTES = 32;

    /**
     * Connects, in blocking mode.
     *
     * @param alive whether the machine still runs
     */
    SocketChannel connect(Deadline deadline, BooleanSupplier alive) throws IOException {
        var backoff = new Backoff(deadline.remaining(), LONGEST_PAUSE);
        Duration patience = FIRST_PATIENCE;
        for (int tries = 1; ; tries++) {
            try {
                return attempt(deadline.within(patience));
            } catch (ClosedByInterruptException e) {
                throw e;
            } catch (IOException e) {
                if (!alive.getAsBoolean()) {
                    throw new IOException("the machine ended before its guest accepted a connection", e);
                }
                if (!backoff.pause()) {
                    throw new IOException("the guest accepted no connection in %d tries".formatted(tries), e);
                }
                patience = patience.compareTo(LAST_PATIENCE) < 0 ? patience.multipliedBy(2) : patience;
            }
        }
    }

    private SocketChannel attempt(Deadline deadline) throws IOException {
        SocketChannel channel = UnixConnection.open(socket, deadline);
        try {
            String answer = UnixConnection.within(deadline, channel, () -> {
                channel.write(ByteBuffer.wrap("CONNECT %d\n".formatted(port).getBytes(US_ASCII)));
                return readLine(channel);
            });
            if (!answer.startsWith("OK ")) {
                throw new IOException("Firecracker answered CONNECT with: " + answer);
            }
            return channel;
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    /** Byte by byte, because what follows the line is the guest's. */
    private static String readLine(SocketChannel channel) throws IOException {
        var line = new StringBuilder();
        ByteBuffer one = ByteBuffer.allocate(1);
        while (line.length() < MAX_ANSWER_BYTES) {
            if (channel.read(one.clear()) < 0) {
                throw new EOFException("nobody listens on the guest's port");
            }
            char next = (char) one.get(0);
            if (next == '\n') {
                return line.toString();
            }
            line.append(next);
        }
        throw new IOException("Firecracker answered CONNECT with more than a line");
    }
}
