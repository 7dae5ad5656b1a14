package io.hexr.sandbox.host;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One cgroup: a limit, a counter and a way to kill. On v1 it is one directory in each hierarchy, on v2 a single one.
 *
 * <p>Life: made by {@link Cgroups#create}, populated by processes that write themselves into {@link #directories}, emptied by {@link #kill},
 * removed by {@link #delete}. Counters are readable until it is removed. Any thread may call any method; killing and deleting twice is fine.
 */
public abstract sealed class Cgroup permits CgroupV1, CgroupV2 {
    private final String id;
    private final Set<Path> directories;
    private final CgroupFiles files;
    private final Map<Path, String> limits = new HashMap<>();

    Cgroup(String id, Set<Path> directories, CgroupFiles files) {
        this.id = id;
        this.directories = directories;
        this.files = files;
    }

    public final String id() {
        return id;
    }

    /** A process is in this cgroup once it has written itself into {@code cgroup.procs} of each of these. */
    public final Set<Path> directories() {
        return directories;
    }

    /** Sets its limits, or changes them. Memory that is in use already stays so: a lower limit makes the kernel take it back or kill for it. */
    public abstract void limit(CgroupLimits limits) throws IOException;

    public abstract CgroupUsage usage() throws IOException;

    /** What {@link CgroupUsage#cpuTime} is now. */
    public abstract @Nullable Duration cpuTime() throws IOException;

    /** Sends SIGKILL to every process that is in the cgroup now. */
    abstract void signal() throws IOException;

    /**
     * Kills every process and waits until none is left. New processes can appear only as children of those that are there, so repeating until
     * nothing is found ends also with a fork bomb.
     *
     * @throws IOException if processes are still there at the end of the timeout
     */
    public final void kill(Duration timeout) throws IOException {
        var backoff = new Backoff(timeout);
        while (true) {
            Set<Long> left = processes();
            if (left.isEmpty()) {
                return;
            }
            signal();
            if (!backoff.pause()) {
                throw new IOException("cgroup %s: processes %s did not die within %s".formatted(id, left, timeout));
            }
        }
    }

    /**
     * Removes the empty cgroup. A process that was killed leaves its cgroup a moment after it disappears from {@code cgroup.procs}; until then
     * the kernel says EBUSY.
     */
    public final void delete(Duration timeout) throws IOException {
        var backoff = new Backoff(timeout);
        for (Path directory : directories) {
            while (true) {
                try {
                    files.removeDirectory(directory);
                    break;
                } catch (IOException e) {
                    if (!backoff.pause()) {
                        throw new IOException("cgroup %s cannot be removed: %s".formatted(id, e), e);
                    }
                }
            }
        }
    }

    /** All hierarchies are asked, because a process that was killed while it joined is in some of them only. */
    final Set<Long> processes() throws IOException {
        Set<Long> pids = new TreeSet<>();
        for (Path directory : directories) {
            if (files.exists(directory)) {
                pids.addAll(read(directory, "cgroup.procs")
                        .lines()
                        .map(Long::valueOf)
                        .collect(Collectors.toSet()));
            }
        }
        return pids;
    }

    final void signalEach() throws IOException {
        for (long pid : processes()) {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    final CgroupFiles files() {
        return files;
    }

    final String read(Path directory, String file) throws IOException {
        return files.read(directory.resolve(file)).strip();
    }

    final void set(Path directory, String file, long value) throws IOException {
        set(directory, file, Long.toString(value));
    }

    /** Writes a limit unless it is the one that was written last: a sandbox that is taken keeps most of those it waited with. */
    final synchronized void set(Path directory, String file, String value) throws IOException {
        Path path = directory.resolve(file);
        if (value.equals(limits.get(path))) {
            return;
        }
        // what is in force after a write that failed is not known
        limits.remove(path);
        files.write(path, value);
        limits.put(path, value);
    }

    /** A value of a file of lines {@code key value}; 0 if the kernel does not have it. */
    final long readKey(Path directory, String file, String key) throws IOException {
        for (String line : read(directory, file).split("\n", -1)) {
            if (line.startsWith(key + " ")) {
                return Long.parseLong(line.substring(key.length() + 1));
            }
        }
        return 0;
    }
}
