package io.hexr.sandbox.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class UnixConnectionTest {
    private static final Deadline LONG = Deadline.after(Duration.ofSeconds(20));

    @TempDir
    Path directory;

    private ServerSocketChannel listen(int backlog) throws Exception {
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(directory.resolve("s")), backlog);
        return listener;
    }

    private Path path() {
        return directory.resolve("s");
    }

    @Test
    void aStepThatIsDoneInTimeLeavesTheChannelOpen() throws Exception {
        try (var _ = listen(1);
                SocketChannel channel = UnixConnection.open(path(), LONG)) {
            assertThat(UnixConnection.within(LONG, channel, () -> 7)).isEqualTo(7);
            assertThat(channel.isOpen()).isTrue();
        }
    }

    @Test
    void aReadThatNobodyAnswersEndsAtItsDeadline() throws Exception {
        try (var _ = listen(1);
                SocketChannel channel = UnixConnection.open(path(), LONG)) {
            Deadline soon = Deadline.after(Duration.ofMillis(30));

            assertThatThrownBy(() -> UnixConnection.within(soon, channel, () -> channel.read(ByteBuffer.allocate(1))))
                    .isInstanceOf(SocketTimeoutException.class);
            assertThat(channel.isOpen()).isFalse();
        }
    }

    @Test
    void aConnectionToAListenerThatIsFullEndsAtItsDeadline() throws Exception {
        try (var _ = listen(1);
                SocketChannel first = UnixConnection.open(path(), LONG);
                SocketChannel second = UnixConnection.open(path(), LONG)) {
            assertThat(first.isConnected() && second.isConnected()).isTrue();

            assertThatThrownBy(() -> UnixConnection.open(path(), Deadline.after(Duration.ofMillis(30))))
                    .isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void aChannelThatSomebodyElseClosesIsNotATimeout() throws Exception {
        try (var _ = listen(1);
                SocketChannel channel = UnixConnection.open(path(), LONG);
                var _ = Watchdog.start(Duration.ofMillis(30), () -> close(channel))) {
            assertThatThrownBy(() -> UnixConnection.within(LONG, channel, () -> channel.read(ByteBuffer.allocate(1))))
                    .isInstanceOf(ClosedChannelException.class);
        }
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
