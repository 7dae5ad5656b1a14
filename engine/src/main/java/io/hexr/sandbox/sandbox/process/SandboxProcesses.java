package io.hexr.sandbox.sandbox.process;

import io.hexr.sandbox.host.Cgroup;
import io.hexr.sandbox.host.CgroupLimits;
import io.hexr.sandbox.host.Cgroups;
import io.hexr.sandbox.host.FileTree;
import io.hexr.sandbox.host.IoReason;
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
 * The sandboxes of this engine as the host sees them: makes them, knows those that live, and finds what an engine that died left behind.
 *
 * <p>Everything a sandbox has on the host hangs on its id: the cgroup {@code <group>/<id>} and the directory {@code run/…/<id>}. The group is
 * named after the state directory, which one engine at a time owns, so whatever is found there at the start is left over. Mounts need no
 * reaping: they exist only in the mount namespace of a sandbox and go with it.
 */
public final class SandboxProcesses implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SandboxProcesses.class);
    private static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);
    private static final int ID_BYTES = 8;

    /** As long as the id of every sandbox. */
    public static final String LONGEST_ID = "0".repeat(2 * ID_BYTES);

    private final Path launcher;
    private final Cgroups cgroups;
    private final Path run;
    private final Path directory;
    private final SecureRandom random = new SecureRandom();

    /** Held while a sandbox is made, so that none appears once this is closed; what is made under it takes a millisecond. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Set<SandboxProcess> live = new HashSet<>();
    private boolean closed;

    private SandboxProcesses(Path launcher, Cgroups cgroups, Path run, Path directory) {
        this.launcher = launcher;
        this.cgroups = cgroups;
        this.run = run;
        this.directory = directory;
    }

    /**
     * Those of one engine.
     *
     * @param launcher {@code sandbox-launch}
     * @param run all sandboxes of the engine; whatever is in it at the start is left over
     * @param directory {@code run} or a directory in it, where the sandboxes have theirs
     */
    public static SandboxProcesses open(Path launcher, String cgroupName, Path run, Path directory)
            throws SandboxException {
        try {
            return new SandboxProcesses(launcher, Cgroups.open(cgroupName), run, directory);
        } catch (IOException e) {
            throw new SandboxException(
                    Code.HOST_RESOURCE, "sandboxes cannot be limited on this host: " + IoReason.of(e), e);
        }
    }

    /** A sandbox without a process. */
    public SandboxProcess create(CgroupLimits limits) throws SandboxException {
        String id = HexFormat.of().toHexDigits(random.nextLong());
        lock.lock();
        try {
            if (closed) {
                throw new SandboxException(Code.CLOSED, "the backend is closed");
            }
            Path own = Files.createDirectory(Files.createDirectories(directory).resolve(id));
            var process = new SandboxProcess(own, createCgroup(id, limits, own), launcher, KILL_TIMEOUT, this::forget);
            live.add(process);
            return process;
        } catch (IOException e) {
            throw new SandboxException(Code.HOST_RESOURCE, "no room for a sandbox: " + e, e);
        } finally {
            lock.unlock();
        }
    }

    private Cgroup createCgroup(String id, CgroupLimits limits, Path own) throws IOException {
        try {
            return cgroups.create(id, limits);
        } catch (IOException e) {
            FileTree.delete(own);
            throw e;
        }
    }

    private void forget(SandboxProcess process) {
        lock.lock();
        try {
            live.remove(process);
        } finally {
            lock.unlock();
        }
    }

    /** Removes the sandboxes of an engine that died. */
    public void reap() throws IOException {
        for (Cgroup cgroup : cgroups.existing()) {
            log.info("reaping sandbox {}", cgroup.id());
            cgroup.kill(KILL_TIMEOUT);
            cgroup.delete(KILL_TIMEOUT);
        }
        List<Path> leftOver;
        try (var entries = Files.list(run)) {
            leftOver = entries.toList();
        }
        for (Path entry : leftOver) {
            FileTree.delete(entry);
        }
    }

    /** Ends all sandboxes, also those that are just starting; after it there are no new ones. */
    @Override
    public void close() {
        List<SandboxProcess> rest;
        lock.lock();
        try {
            closed = true;
            rest = List.copyOf(live);
        } finally {
            lock.unlock();
        }
        rest.forEach(SandboxProcess::abandon);
        // Each takes some milliseconds, and some seconds where a process does not die: not one after the other.
        try (var closers = Executors.newVirtualThreadPerTaskExecutor()) {
            rest.forEach(process -> closers.execute(process::close));
        }
        try {
            cgroups.removeGroup();
        } catch (IOException e) {
            log.error("cannot remove the cgroup of this engine", e);
        }
    }
}
