package io.hexr.sandbox.sandbox.firecracker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.host.Deadline;
import io.hexr.sandbox.sandbox.firecracker.FakeSocket.Behaviour.Answer;
import io.hexr.sandbox.sandbox.firecracker.FakeSocket.Behaviour.HangUp;
import io.hexr.sandbox.sandbox.firecracker.FakeSocket.Behaviour.Silence;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A try that is not answered soon is given up, so that on a busy machine there may be more of them than a test asks for. */
@Timeout(30)
class VsockConnectorTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir
    Path directory;

    private Path socket = Path.of("");
    private VsockConnector connector = new VsockConnector(socket, 52);

    @BeforeEach
    void name() {
        socket = directory.resolve("v.sock");
        connector = new VsockConnector(socket, 52);
    }

    private SocketChannel connect() throws Exception {
        return connector.connect(Deadline.after(LONG), () -> true);
    }

    @Test
    void nothingOfTheGuestsFirstBytesIsLost() throws Exception {
        try (var server = FakeSocket.listen(socket, new Answer("OK 1073741824\nguest"));
                SocketChannel channel = connect()) {
            assertThat(server.requests()).containsOnly("CONNECT 52");
            ByteBuffer bytes = ByteBuffer.allocate(5);
            while (bytes.hasRemaining()) {
                channel.read(bytes);
            }
            assertThat(new String(bytes.array(), java.nio.charset.StandardCharsets.US_ASCII))
                    .isEqualTo("guest");
        }
    }

    @Test
    void aConnectionThatIsLostIsTriedAgain() throws Exception {
        try (var server = FakeSocket.listen(socket, new Silence(), new Silence(), new Answer("OK 1\n"));
                SocketChannel channel = connect()) {
            assertThat(channel.isConnected()).isTrue();
            assertThat(server.requests()).hasSizeGreaterThanOrEqualTo(3);
        }
    }

    @Test
    void aGuestThatDoesNotListenYetIsTriedAgain() throws Exception {
        try (var server = FakeSocket.listen(socket, new HangUp(), new HangUp(), new Answer("OK 1\n"));
                SocketChannel channel = connect()) {
            assertThat(channel.isConnected()).isTrue();
            assertThat(server.requests()).hasSizeGreaterThanOrEqualTo(3);
        }
    }

    @Test
    void anAnswerThatIsNotOkIsNoConnection() throws Exception {
        try (var _ = FakeSocket.listen(socket, new Answer("NO\n"), new Answer("x".repeat(100)), new Answer("OK 1\n"));
                SocketChannel channel = connect()) {
            assertThat(channel.isConnected()).isTrue();
        }
    }

    @Test
    void aGuestThatNeverAcceptsEndsAtTheDeadline() throws Exception {
        try (var _ = FakeSocket.listen(socket)) {
            assertThatThrownBy(() -> connector.connect(Deadline.after(Duration.ofMillis(100)), () -> true))
                    .hasMessageContaining("accepted no connection");
        }
    }

    @Test
    void aMachineThatEndedIsNotWaitedFor() {
        assertThatThrownBy(() -> connector.connect(Deadline.after(LONG), () -> false))
                .hasMessageContaining("ended before");
    }
}
