package io.hexr.sandbox.host;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Map;

/** A cgroup of version 1: a directory in the hierarchy of each controller. */
final class CgroupV1 extends Cgroup {
    private final Path memory;
    private final Path pids;

    CgroupV1(String id, Map<CgroupsV1.Controller, Path> directories, CgroupFiles files) {
        super(id, new LinkedHashSet<>(directories.values()), files);
        this.memory = requireNonNull(directories.get(CgroupsV1.Controller.MEMORY));
        this.pids = requireNonNull(directories.get(CgroupsV1.Controller.PIDS));
    }

    @Override
    public CgroupUsage usage() throws IOException {
        return new CgroupUsage(
                Long.parseLong(read(memory, "memory.usage_in_bytes")),
                Long.parseLong(read(memory, "memory.max_usage_in_bytes")),
                readKey(memory, "memory.oom_control", "oom_kill"),
                readKey(pids, "pids.events", "max"));
    }

    @Override
    void signal() throws IOException {
        signalEach();
    }
}
