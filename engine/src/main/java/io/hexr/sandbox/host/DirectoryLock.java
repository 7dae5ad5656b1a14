package io.hexr.sandbox.host;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** A lock on a directory that lasts until it is closed or the process ends, however it ends. */
public final class DirectoryLock implements AutoCloseable {
    /** In the directory; it stays when the lock is given back. */
    public static final String FILE = "lock";

    private final FileChannel channel;

    private DirectoryLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Takes the lock.
     *
     * @throws IOException if another process has it
     */
    public static DirectoryLock acquire(Path directory) throws IOException {
        Path file = directory.resolve(FILE);
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (tryLock(channel) == null) {
            channel.close();
            throw new IOException(
                    directory + " is in use by another engine: stop it, or give this one a directory of its own");
        }
        return new DirectoryLock(channel);
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // this process has it already
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
