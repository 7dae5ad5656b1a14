package io.hexr.sandbox.sandbox.gvisor;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.hexr.sandbox.host.Cgroup;
import io.hexr.sandbox.host.CgroupLimits;
import io.hexr.sandbox.host.Cgroups;
import io.hexr.sandbox.host.FileTree;
import io.hexr.sandbox.host.UnixListener;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The containers of this engine: makes them, knows those that live, and finds what an engine that died left behind.
 *
 * <p>Everything a container has on the host hangs on its id: the cgroup {@code <group>/<id>} and the directory {@code run/<id>}. The group is
 * named after the state directory, which one engine at a time owns, so whatever is found there at the start is left over. Mounts need no
 * reaping: they exist only in the mount namespace of a runsc and go with it.
 */
final class Containers implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Containers.class);
    private static final Duration REAP_TIMEOUT = Duration.ofSeconds(10);
    private static final int ID_BYTES = 8;

    private final GvisorSettings settings;
    private final Cgroups cgroups;
    private final Path runDirectory;
    private final SecureRandom random = new SecureRandom();

    /** Held while a container is made, so that none appears once this is closed; what is made under it takes a millisecond. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Set<Container> live = new HashSet<>();
    private boolean closed;

    Containers(GvisorSettings settings, Cgroups cgroups, Path runDirectory) {
        this.settings = settings;
        this.cgroups = cgroups;
        this.runDirectory = runDirectory;
    }

    /** Checks that the longest socket of a container fits: runsc would quietly put it elsewhere, where nobody cleans up. */
    static void requireShort(Path runDirectory) throws IOException {
        String id = "0".repeat(2 * ID_BYTES);
        Path longest = runDirectory.resolve(id).resolve("runsc-" + id + ".sock");
        int excess = longest.toString().getBytes(UTF_8).length - UnixListener.MAX_PATH_BYTES;
        if (excess > 0) {
            throw new IOException("%s is %d bytes too long for the sockets in it: choose a shorter state directory"
                    .formatted(runDirectory, excess));
        }
    }

    /** A container without a process. */
    Container create(CgroupLimits limits) throws SandboxException {
        String id = HexFormat.of().toHexDigits(random.nextLong());
        lock.lock();
        try {
            if (closed) {
                throw new SandboxException(Code.CLOSED, "the backend is closed");
            }
            Path directory = Files.createDirectory(runDirectory.resolve(id));
            var container = new Container(directory, createCgroup(id, limits, directory), settings, this::forget);
            live.add(container);
            return container;
        } catch (IOException e) {
            throw new SandboxException(Code.HOST_RESOURCE, "no room for a sandbox: " + e, e);
        } finally {
            lock.unlock();
        }
    }

    private Cgroup createCgroup(String id, CgroupLimits limits, Path directory) throws IOException {
        try {
            return cgroups.create(id, limits);
        } catch (IOException e) {
            FileTree.delete(directory);
            throw e;
        }
    }

    private void forget(Container container) {
        lock.lock();
        try {
            live.remove(container);
        } finally {
            lock.unlock();
        }
    }

    /** Removes the containers of an engine that died. */
    void reap() throws IOException {
        for (Cgroup cgroup : cgroups.existing()) {
            log.info("reaping sandbox {}", cgroup.id());
            cgroup.kill(REAP_TIMEOUT);
            cgroup.delete(REAP_TIMEOUT);
        }
        List<Path> directories;
        try (var entries = Files.list(runDirectory)) {
            directories = entries.toList();
        }
        for (Path directory : directories) {
            FileTree.delete(directory);
        }
    }

    /** Ends all containers, also those that are just starting; after it there are no new ones. */
    @Override
    public void close() {
        List<Container> rest;
        lock.lock();
        try {
            closed = true;
            rest = List.copyOf(live);
        } finally {
            lock.unlock();
        }
        // Each takes some milliseconds, and some seconds where a process does not die: not one after the other.
        try (var closers = Executors.newVirtualThreadPerTaskExecutor()) {
            rest.forEach(container -> closers.execute(container::close));
        }
        try {
            cgroups.removeGroup();
        } catch (IOException e) {
            log.error("cannot remove the cgroup of this engine", e);
        }
    }
}
