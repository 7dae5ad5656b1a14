package io.hexr.sandbox.sandbox.process;

import io.hexr.sandbox.host.DirectoryLock;
import io.hexr.sandbox.host.IoReason;
import io.hexr.sandbox.host.PrivateDirectory;
import io.hexr.sandbox.host.Sha256;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The state directory of one engine, held until it is closed: {@code run} for what lives, {@code templates} for what stays. */
public final class StateDirectory implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(StateDirectory.class);
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
     * @throws SandboxException if it cannot be made or written, another engine has it, or others than its owner can write to it
     */
    public static StateDirectory open(Path directory) throws SandboxException {
        try {
            Path path = PrivateDirectory.open(directory);
            return new StateDirectory(path, DirectoryLock.acquire(path));
        } catch (IOException e) {
            throw new SandboxException(
                    Code.BACKEND_UNUSABLE, "STATE_DIR=%s cannot be used: %s".formatted(directory, IoReason.of(e)), e);
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
