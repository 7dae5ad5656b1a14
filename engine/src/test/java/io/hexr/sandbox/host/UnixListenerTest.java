package io.hexr.sandbox.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class UnixListenerTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir
    Path directory;

    @Test
    void acceptsAConnectionAndLeavesNoFile() throws Exception {
        Path path = directory.resolve("s");
        try (var listener = UnixListener.bind(path);
                var client = SocketChannel.open(UnixDomainSocketAddress.of(path));
                SocketChannel accepted = listener.accept(LONG, new CompletableFuture<>())) {
            assertThat(accepted.isConnected()).isTrue();
            assertThat(client.isConnected()).isTrue();
        }
        assertThat(path).doesNotExist();
    }

    @Test
    void givesUpWhenThePeerEndedBeforeTheWait() throws Exception {
        try (var listener = UnixListener.bind(directory.resolve("s"))) {
            assertThatThrownBy(() -> listener.accept(LONG, CompletableFuture.completedFuture(null)))
                    .isInstanceOf(ClosedChannelException.class);
        }
    }

    @Test
    void givesUpWhenTheTimeIsOver() throws Exception {
        try (var listener = UnixListener.bind(directory.resolve("s"))) {
            assertThatThrownBy(() -> listener.accept(Duration.ofMillis(20), new CompletableFuture<>()))
                    .isInstanceOf(ClosedChannelException.class);
        }
    }

    @Test
    void givesUpWhenThePeerHasEnded() throws Exception {
        try (var listener = UnixListener.bind(directory.resolve("s"))) {
            assertThatThrownBy(() -> listener.accept(LONG, CompletableFuture.completedFuture(null)))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void aPathTooLongForASocketIsRefusedWithItsLength() {
        Path path = directory.resolve("x".repeat(108));

        assertThatThrownBy(() -> UnixListener.bind(path))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("at most 107");
    }
}
