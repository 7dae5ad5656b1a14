package io.hexr.sandbox.host;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A listening unix socket for one connection. Closing it removes it from the file system. */
public final class UnixListener implements AutoCloseable {
    /** {@code sun_path} of unix(7), less its NUL. */
    private static final int MAX_PATH_BYTES = 107;

    private final Path path;
    private final ServerSocketChannel channel;

    private UnixListener(Path path, ServerSocketChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    public static UnixListener bind(Path path) throws IOException {
        requireShort(path);
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.bind(UnixDomainSocketAddress.of(path), 1);
            return new UnixListener(path, channel);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Checks that a socket can have this path, whoever makes it. */
    public static void requireShort(Path path) throws IOException {
        int excess = path.toString().getBytes(UTF_8).length - MAX_PATH_BYTES;
        if (excess > 0) {
            throw new IOException(
                    "%s is %d bytes too long: a unix socket's path has at most %d; choose a shorter STATE_DIR"
                            .formatted(path, excess, MAX_PATH_BYTES));
        }
    }

    public Path path() {
        return path;
    }

    /**
     * Waits for the connection. Gives up when the time is over or when whoever should connect has ended.
     *
     * @throws ClosedChannelException if it gave up, before or while it waited
     */
    public SocketChannel accept(Duration timeout, CompletableFuture<?> peerEnd) throws IOException {
        // A blocking accept has no timeout of its own; closing the channel ends it.
        var peerGone = peerEnd.thenRun(this::closeChannel);
        try (var _ = Watchdog.start(timeout, this::closeChannel)) {
            return channel.accept();
        } finally {
            peerGone.cancel(false);
        }
    }

    private void closeChannel() {
        try {
            channel.close();
        } catch (IOException e) {
            // Closed all the same.
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
        Files.deleteIfExists(path);
    }
}
