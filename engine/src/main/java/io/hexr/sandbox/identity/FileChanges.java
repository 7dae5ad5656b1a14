package io.hexr.sandbox.identity;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchService;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls back after every change of what certain files hold, until it is closed. It watches their directories, because a Kubernetes volume renews
 * files by replacing a symbolic link beside them. Whatever else is written there, a log perhaps, changes nothing, and so calls nobody. The calls
 * come from one thread, one after the other.
 */
public final class FileChanges implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(FileChanges.class);

    /** More than anybody takes from such a file. */
    private static final int MAX_BYTES = 2 << 20;

    private final WatchService service;
    private final List<Path> files;
    private List<Optional<ByteBuffer>> contents;

    private FileChanges(WatchService service, List<Path> files) {
        this.service = service;
        this.files = List.copyOf(files);
        this.contents = read();
    }

    /** Begins to collect changes at once; they are told from {@link #follow} on. */
    public static FileChanges watch(List<Path> files) throws IOException {
        var service = FileSystems.getDefault().newWatchService();
        try {
            for (Path file : files) {
                file.toAbsolutePath()
                        .resolveSibling("")
                        .register(
                                service,
                                StandardWatchEventKinds.ENTRY_CREATE,
                                StandardWatchEventKinds.ENTRY_MODIFY,
                                StandardWatchEventKinds.ENTRY_DELETE);
            }
            return new FileChanges(service, files);
        } catch (IOException e) {
            service.close();
            // Of an exception of the file system the message is only the directory's name.
            throw new IOException("cannot watch the directory of " + files + ": " + e, e);
        }
    }

    public void follow(String threadName, Runnable changed) {
        Thread.ofPlatform().daemon().name(threadName).start(() -> run(changed));
    }

    private void run(Runnable changed) {
        try {
            while (true) {
                var key = service.take();
                key.pollEvents();
                if (!key.reset()) {
                    log.warn("a directory of configured files is gone; their renewal is no longer seen");
                }
                var now = read();
                if (!now.equals(contents)) {
                    contents = now;
                    call(changed);
                }
            }
        } catch (ClosedWatchServiceException e) {
            log.debug("no longer watching");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A defect there must not end the following: nothing would be renewed any more, and nobody would know. */
    private void call(Runnable changed) {
        try {
            changed.run();
        } catch (RuntimeException | Error e) {
            log.error("a change of {} is not taken", files, e);
        }
    }

    /** What cannot be read is empty: whoever is called back finds out why. */
    private List<Optional<ByteBuffer>> read() {
        return files.stream().map(FileChanges::read).toList();
    }

    private static Optional<ByteBuffer> read(Path file) {
        try (var in = Files.newInputStream(file)) {
            return Optional.of(ByteBuffer.wrap(in.readNBytes(MAX_BYTES)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        try {
            service.close();
        } catch (IOException e) {
            log.debug("watch service: {}", e.toString());
        }
    }
}
