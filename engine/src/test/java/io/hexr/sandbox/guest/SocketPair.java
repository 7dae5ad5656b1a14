package io.hexr.sandbox.guest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** The two ends of a connected unix socket: real back-pressure and real ends of stream, without a sandbox. */
public record SocketPair(GuestChannel engine, GuestChannel guest) {
    public static SocketPair open() {
        try {
            Path directory = Files.createTempDirectory("guest");
            Path path = directory.resolve("s");
            try (var listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                var address = UnixDomainSocketAddress.of(path);
                listener.bind(address);
                SocketChannel guest = SocketChannel.open(address);
                return new SocketPair(new SocketGuestChannel(listener.accept()), new SocketGuestChannel(guest));
            } finally {
                Files.deleteIfExists(path);
                Files.delete(directory);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
