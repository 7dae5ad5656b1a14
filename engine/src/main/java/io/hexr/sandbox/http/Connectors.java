package io.hexr.sandbox.http;

import io.hexr.sandbox.config.EngineConfig;
import io.hexr.sandbox.config.ListenAddress;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.unixdomain.server.UnixDomainServerConnector;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;

/** The listening end: a TCP port with or without TLS, or a unix socket. HTTP/1.1 on all of them. */
final class Connectors {
    /** Connections that the kernel completes while all accepted ones are busy; 50, the JDK's default, is soon full. */
    private static final int ACCEPT_QUEUE = 1_024;

    private Connectors() {}

    static AbstractConnector of(Server server, EngineConfig.Http http, @Nullable SSLContext tls) throws IOException {
        var connector = switch (http.address()) {
            case ListenAddress.Tcp tcp -> port(server, tcp, factories(http, tls));
            case ListenAddress.UnixSocket socket -> unixSocket(server, socket.path(), factories(http, null));
        };
        connector.setIdleTimeout(http.idleTimeout().toMillis());
        return connector;
    }

    private static AbstractConnector port(Server server, ListenAddress.Tcp tcp, ConnectionFactory... factories) {
        var connector = new ServerConnector(server, 1, 1, factories);
        connector.setHost(tcp.host());
        connector.setPort(tcp.port());
        connector.setAcceptQueueSize(ACCEPT_QUEUE);
        return connector;
    }

    private static AbstractConnector unixSocket(Server server, Path path, ConnectionFactory... factories)
            throws IOException {
        removeAbandoned(path);
        var connector = new UnixDomainServerConnector(server, 1, 1, factories);
        connector.setUnixDomainPath(path);
        connector.setAcceptQueueSize(ACCEPT_QUEUE);
        return connector;
    }

    /** An engine that was killed leaves its socket behind, and a path that exists cannot be bound. One that still answers is another engine's. */
    private static void removeAbandoned(Path path) throws IOException {
        if (!Files.exists(path)) {
            return;
        }
        try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(path));
        } catch (ConnectException e) {
            // Nobody listens. Of a file that is no socket the kernel says the same: that one is not ours to remove.
            if (Files.isRegularFile(path) || Files.isDirectory(path)) {
                throw new IOException("LISTEN_ADDRESS unix:%s is there already and is no socket".formatted(path), e);
            }
            Files.delete(path);
            return;
        }
        throw new IOException("on LISTEN_ADDRESS unix:%s somebody listens already".formatted(path));
    }

    /** Owner and group may connect; the kernel made the socket by the umask, which leaves out the group's right to write. */
    static void openToGroup(Path path) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-rw----"));
    }

    private static ConnectionFactory[] factories(EngineConfig.Http http, @Nullable SSLContext tls) {
        var configuration = new HttpConfiguration();
        configuration.setRequestHeaderSize(http.maxHeaderBytes());
        configuration.setSendServerVersion(false);
        configuration.setSendXPoweredBy(false);
        var http1 = new HttpConnectionFactory(configuration);
        if (tls == null) {
            return new ConnectionFactory[] {http1};
        }
        // An SVID has no DNS name that SNI could be compared with.
        configuration.addCustomizer(new SecureRequestCustomizer(false));
        return new ConnectionFactory[] {new SslConnectionFactory(contextFactory(tls), http1.getProtocol()), http1};
    }

    /** A client without certificate gets through the handshake, so that it can be told what is missing, and can ask for {@code /health}. */
    private static SslContextFactory.Server contextFactory(SSLContext tls) {
        var factory = new SslContextFactory.Server();
        factory.setSslContext(tls);
        factory.setIncludeProtocols("TLSv1.3");
        factory.setWantClientAuth(true);
        factory.setSniRequired(false);
        return factory;
    }
}
