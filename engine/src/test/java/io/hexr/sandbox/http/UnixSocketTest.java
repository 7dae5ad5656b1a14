package io.hexr.sandbox.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.identity.AuthMode;
import io.hexr.sandbox.identity.Authenticator;
import io.hexr.sandbox.identity.SvidSource;
import io.hexr.sandbox.identity.SvidVerifier;
import io.hexr.sandbox.identity.TrustDomain;
import io.hexr.sandbox.identity.TrustedGateway;
import io.hexr.sandbox.policy.PolicySource;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The gateway beside the engine, over a unix socket. */
@Timeout(60)
class UnixSocketTest {
    private static final Set<TrustDomain> DOMAINS = Set.of(new TrustDomain("example.org"));
    private static final String XFCC =
            "X-Forwarded-Client-Cert: By=spiffe://example.org/gateway;Hash=%s;URI=%%s\r\n".formatted("ab".repeat(32));

    @TempDir
    private Path directory;

    private ServerFixture serve() throws Exception {
        var gate = new HttpServer.Gate(
                new Authenticator(
                        AuthMode.XFCC,
                        DOMAINS,
                        List.of(new TrustedGateway.UnixSocket()),
                        new SvidVerifier(SvidSource.none(), DOMAINS)),
                PolicySource.everybody(),
                null);
        return new ServerFixture(ServerFixture.config("LISTEN_ADDRESS", "unix:" + path()), gate, 1L << 30);
    }

    private Path path() {
        return directory.resolve("engine.sock");
    }

    private String exchange(String request) throws IOException {
        try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(path()))) {
            channel.write(ByteBuffer.wrap(request.getBytes(UTF_8)));
            return new String(Channels.newInputStream(channel).readAllBytes(), UTF_8);
        }
    }

    private static String post(String headers) {
        return RawClient.post(
                "{\"code\":\"hello\",\"language\":\"bash\"}",
                "Content-Type: application/json\r\nConnection: close\r\n" + headers);
    }

    @Test
    void aCallerForwardedOverTheSocketIsServedAndAnUnknownOneIsNot() throws Exception {
        try (var _ = serve()) {
            assertThat(exchange(post(XFCC.formatted("spiffe://example.org/agent/demo"))))
                    .startsWith("HTTP/1.1 200");
            assertThat(exchange(post(XFCC.formatted("spiffe://evil.org/agent/demo"))))
                    .startsWith("HTTP/1.1 401");
            assertThat(exchange(post(""))).startsWith("HTTP/1.1 401");
        }
    }

    @Test
    void onlyOwnerAndGroupMayConnectAndTheSocketGoesWithTheServer() throws Exception {
        try (var _ = serve()) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path())))
                    .isEqualTo("rw-rw----");
        }
        assertThat(path()).doesNotExist();
    }

    @Test
    void whatAKilledEngineLeftIsReplaced() throws Exception {
        try (var abandoned = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            abandoned.bind(UnixDomainSocketAddress.of(path()));
        }
        assertThat(path()).exists();
        try (var _ = serve()) {
            assertThat(exchange(post(""))).startsWith("HTTP/1.1 401");
        }
    }

    @Test
    void neitherAnotherEnginesSocketNorAFileIsTaken() throws Exception {
        try (var _ = serve()) {
            assertThatThrownBy(this::serve).isInstanceOf(IOException.class).hasMessageContaining("listens already");
        }
        Files.writeString(path(), "precious");
        assertThatThrownBy(this::serve).isInstanceOf(IOException.class).hasMessageContaining("is no socket");
        assertThat(path()).hasContent("precious");
    }
}
