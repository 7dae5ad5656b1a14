package io.hexr.sandbox.sandbox.process;

import io.hexr.sandbox.host.DirectoryLock;
import io.hexr.sandbox.host.IoReason;
import io.hexr.sandbox.host.PrivateDirectory;
import io.hexr.sandbox.host.Sha256;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state directory of one engine, held until it is closed: {@code run} for what lives, {@code templates} for what stays, {@code
 * shared} for the parts of machines. What an earlier engine left in them is deleted, so they must be an engine's: {@code /} has a {@code run},
 * too.
 */
public final class StateDirectory implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(StateDirectory.class);
    private static final List<String> SUBDIRECTORIES = List.of("run", "shared", "templates");
    private static final int GROUP_HASH_LENGTH = 12;

    private final Path path;
    private final DirectoryLock lock;

    private StateDirectory(Path path, DirectoryLock lock) {
        this.path = path;
        this.lock = lock;
    }

    /**
     * Takes the directory.
     *
     * @throws SandboxException if it cannot be made or written, another engine has it, others than its owner can write to it, or what it
     *     holds is not an engine's
     */
    public static StateDirectory open(Path directory) throws SandboxException {
        try {
            Path path = PrivateDirectory.open(directory);
            requireNoStranger(path);
            return new StateDirectory(path, DirectoryLock.acquire(path));
        } catch (IOException e) {
            throw new SandboxException(
                    Code.BACKEND_UNUSABLE, "STATE_DIR=%s cannot be used: %s".formatted(directory, IoReason.of(e)), e);
        }
    }

    /** An engine takes the lock before it makes a directory, and leaves the file behind: without one they are somebody else's. */
    private static void requireNoStranger(Path path) throws IOException {
        if (Files.isRegularFile(path.resolve(DirectoryLock.FILE), LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        for (String name : SUBDIRECTORIES) {
            if (Files.exists(path.resolve(name), LinkOption.NOFOLLOW_LINKS)) {
                throw new IOException(
                        "%s is there already, but no engine made it: choose an empty directory, or one that does not exist yet"
                                .formatted(path.resolve(name)));
            }
        }
    }

    /** A directory in it, made if need be. */
    public Path subdirectory(String name) throws IOException {
        return PrivateDirectory.open(path.resolve(name));
    }

    /** The name of this engine's cgroups: the next engine on this directory finds by it what this one leaves. */
    public String cgroupName() {
        return "hexr-sandbox-" + Sha256.of(path.toString()).substring(0, GROUP_HASH_LENGTH);
    }

    @Override
    public void close() {
        try {
            lock.close();
        } catch (IOException e) {
            log.error("cannot give the lock of {} back", path, e);
        }
    }
}
