package io.hexr.sandbox.host;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;

/** A cgroup of version 2. */
final class CgroupV2 extends Cgroup {
    private final Path directory;

    CgroupV2(String id, Path directory, CgroupFiles files) {
        super(id, Set.of(directory), files);
        this.directory = directory;
    }

    @Override
    public CgroupUsage usage() throws IOException {
        return new CgroupUsage(
                Long.parseLong(read(directory, "memory.current")),
                files().exists(directory.resolve("memory.peak")) ? Long.parseLong(read(directory, "memory.peak")) : 0,
                readKey(directory, "memory.events", "oom_kill"),
                readKey(directory, "pids.events", "max"));
    }

    /** {@code cgroup.kill} (Linux 5.14) kills the whole tree at once, forks in flight included. */
    @Override
    void signal() throws IOException {
        Path kill = directory.resolve("cgroup.kill");
        if (files().exists(kill)) {
            files().write(kill, "1");
        } else {
            signalEach();
        }
    }
}
