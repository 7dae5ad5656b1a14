package io.hexr.sandbox.identity;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchService;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls back after every change beside certain files, until it is closed. It watches their directories, because a Kubernetes volume renews files
 * by replacing a symbolic link beside them; so a call may well be for nothing. The calls come from one thread, one after the other.
 */
public final class FileChanges implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(FileChanges.class);

    private final WatchService service;

    private FileChanges(WatchService service) {
        this.service = service;
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
            return new FileChanges(service);
        } catch (IOException e) {
            service.close();
            throw new IOException("cannot watch the directory of " + files + ": " + e.getMessage(), e);
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
                changed.run();
            }
        } catch (ClosedWatchServiceException e) {
            log.debug("no longer watching");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
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
