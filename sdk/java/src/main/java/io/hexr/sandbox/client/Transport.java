package io.hexr.sandbox.client;

import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a client.
 *
 * <p>Open → closed. Certificates of workloads live for an hour and are replaced on disk. So the TLS files are looked at before every attempt, and when they changed a new
 * HTTP client with what they hold now takes the place of the one before: calls that are under way go on, later ones share no connection and no TLS session with them.
 * The former client is not closed but dropped, which frees it when its last call is over (the contract of {@link HttpClient}). Files that do not fit together, because
 * only one of them is written yet, are left for the next call.
 *
 * <p>With an HTTP client of the caller's, all of this is the caller's affair, and it is not closed here.
 */
final class Transport implements AutoCloseable {
    /** An HTTP client, and the files as they were when it was made. */
    private record Held(HttpClient http, List<Object> stamps) {}

    private final Settings settings;
    private final @Nullable HttpClient given;
    private final List<Path> files;
    private final ReentrantLock renewal = new ReentrantLock();
    private volatile Held held;
    private volatile boolean closed;

    Transport(Settings settings, @Nullable HttpClient given) throws ConfigurationException {
        this.settings = settings;
        this.given = given;
        this.files = given != null
                ? List.of()
                : Stream.of(settings.caFile(), settings.certFile(), settings.keyFile())
                        .filter(Objects::nonNull)
                        .toList();
        try {
            this.held = given != null ? new Held(given, List.of()) : open();
        } catch (IOException | GeneralSecurityException e) {
            throw new ConfigurationException("the TLS files cannot be used: " + e.getMessage(), e);
        }
    }

    Settings settings() {
        return settings;
    }

    /** The HTTP client for the next attempt. */
    HttpClient http() {
        if (closed) {
            throw new IllegalStateException("this client is closed");
        }
        // whoever finds another thread at it uses the client that is there, which is still good
        if (!files.isEmpty() && renewal.tryLock()) {
            try {
                renew();
            } finally {
                renewal.unlock();
            }
        }
        return held.http();
    }

    private void renew() {
        try {
            if (!stamps().equals(held.stamps())) {
                held = open();
            }
        } catch (IOException | GeneralSecurityException e) {
            // half written: what was read before is still good
        }
    }

    private Held open() throws IOException, GeneralSecurityException {
        // taken before the files are read: a change in between is seen by the next call
        var stamps = stamps();
        // HTTP/1.1 is what the service speaks, and without this every first request would offer an upgrade
        var builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(settings.connectTimeout());
        if (settings.tls()) {
            builder.sslContext(Tls.context(settings));
        }
        return new Held(builder.build(), stamps);
    }

    private List<Object> stamps() throws IOException {
        var stamps = new ArrayList<Object>();
        for (var file : files) {
            // follows the symbolic links by which secrets are replaced
            var state = Files.readAttributes(file, BasicFileAttributes.class);
            stamps.add(List.of(String.valueOf(state.fileKey()), state.lastModifiedTime(), state.size()));
        }
        return stamps;
    }

    /** Ends what is under way, but for calls that were begun before the TLS files changed last, which end by their deadlines. */
    @Override
    public void close() {
        closed = true;
        if (given == null) {
            held.http().shutdownNow();
        }
    }
}
