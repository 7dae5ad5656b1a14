package io.hexr.sandbox.guest;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;

/** A guest behind a connected socket. */
public final class SocketGuestChannel implements GuestChannel {
    private final SocketChannel socket;
    private final InputStream in;
    private final OutputStream out;

    /** Takes over a socket in blocking mode. */
    public SocketGuestChannel(SocketChannel socket) {
        this.socket = socket;
        this.in = Channels.newInputStream(socket);
        this.out = Channels.newOutputStream(socket);
    }

    @Override
    public InputStream in() {
        return in;
    }

    @Override
    public OutputStream out() {
        return out;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
