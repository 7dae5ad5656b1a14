package io.hexr.sandbox.host;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Connections to listening unix sockets, with the deadlines that blocking channels do not have. */
public final class UnixConnection {
    private UnixConnection() {}

    /** A step on a channel that blocks. */
    public interface Step<T> {
        T run() throws IOException;
    }

    /** Connects; that blocks while the listener's backlog is full. */
    public static SocketChannel open(Path path, Deadline deadline) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            within(deadline, channel, () -> channel.connect(UnixDomainSocketAddress.of(path)));
            return channel;
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    /**
     * Does a step and closes the channel if it takes too long, which ends it.
     *
     * @throws SocketTimeoutException if it was not done by the deadline; the channel is then closed
     */
    public static <T> T within(Deadline deadline, SocketChannel channel, Step<T> step) throws IOException {
        var watchdog = Watchdog.start(deadline.remaining(), () -> close(channel));
        try {
            T result = step.run();
            if (!watchdog.disarm()) {
                throw new SocketTimeoutException("the time was over");
            }
            return result;
        } catch (ClosedChannelException e) {
            if (watchdog.disarm()) {
                throw e; // closed by somebody else, or by an interrupt
            }
            var timeout = new SocketTimeoutException("the time was over");
            timeout.initCause(e);
            throw timeout;
        } finally {
            watchdog.close();
        }
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // Closed all the same.
        }
    }
}
