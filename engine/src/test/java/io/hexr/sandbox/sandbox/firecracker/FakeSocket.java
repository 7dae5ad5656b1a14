package io.hexr.sandbox.sandbox.firecracker;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * One of Firecracker's unix sockets, the API or the vsock: for each connection it reads a request and does the next thing that it was told,
 * and the last of them for ever. What it was asked is kept.
 */
final class FakeSocket implements AutoCloseable {
    private final ServerSocketChannel listener;
    private final Queue<Behaviour> script = new ConcurrentLinkedQueue<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<SocketChannel> silent = new CopyOnWriteArrayList<>();

    /** What is done with a request. */
    sealed interface Behaviour {
        /** Answers so. */
        record Answer(String text) implements Behaviour {}

        /** Answers nothing and keeps the connection. */
        record Silence() implements Behaviour {}

        /** Answers nothing and closes the connection. */
        record HangUp() implements Behaviour {}
    }

    private FakeSocket(ServerSocketChannel listener) {
        this.listener = listener;
    }

    static FakeSocket listen(Path path, Behaviour... script) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(path));
        var socket = new FakeSocket(listener);
        socket.script.addAll(List.of(script));
        Thread.ofVirtual().name("fake-socket").start(socket::serve);
        return socket;
    }

    /** The whole requests, heads of HTTP without the lines that do not matter. */
    List<String> requests() {
        return requests;
    }

    private void serve() {
        while (true) {
            try {
                SocketChannel connection = listener.accept();
                String request = read(new BufferedInputStream(Channels.newInputStream(connection)));
                if (request.isEmpty()) {
                    connection.close(); // somebody who only looks whether it listens
                    continue;
                }
                requests.add(request);
                Behaviour next = script.size() > 1 ? script.remove() : script.peek();
                switch (next == null ? new Behaviour.HangUp() : next) {
                    case Behaviour.Answer(String text) -> {
                        connection.write(ByteBuffer.wrap(text.getBytes(ISO_8859_1)));
                        silent.add(connection);
                    }
                    case Behaviour.Silence() -> silent.add(connection);
                    case Behaviour.HangUp() -> connection.close();
                }
            } catch (IOException e) {
                if (!listener.isOpen()) {
                    return;
                }
            }
        }
    }

    /** A line, and if it is one of HTTP the length and the body too. */
    private static String read(InputStream in) throws IOException {
        String first = line(in);
        if (!first.endsWith("HTTP/1.1")) {
            return first;
        }
        int length = 0;
        for (String header = line(in); !header.isEmpty(); header = line(in)) {
            if (header.startsWith("Content-Length: ")) {
                length = Integer.parseInt(header.substring("Content-Length: ".length()));
            }
        }
        return first + " " + new String(in.readNBytes(length), ISO_8859_1);
    }

    private static String line(InputStream in) throws IOException {
        var line = new StringBuilder();
        for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            line.append((char) next);
        }
        return line.toString().strip();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (SocketChannel connection : silent) {
            connection.close();
        }
    }
}
