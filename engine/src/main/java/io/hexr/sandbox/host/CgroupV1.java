package io.hexr.sandbox.host;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A cgroup of version 1: a directory in the hierarchy of each controller. */
final class CgroupV1 extends Cgroup {
    private final Path memory;
    private final Path pids;
    private final @Nullable Path cpu;
    private final @Nullable Path cpuacct;

    CgroupV1(String id, Map<CgroupsV1.Controller, Path> directories, CgroupFiles files) {
        super(id, new LinkedHashSet<>(directories.values()), files);
        this.memory = requireNonNull(directories.get(CgroupsV1.Controller.MEMORY));
        this.pids = requireNonNull(directories.get(CgroupsV1.Controller.PIDS));
        this.cpu = directories.get(CgroupsV1.Controller.CPU);
        this.cpuacct = directories.get(CgroupsV1.Controller.CPUACCT);
    }

    @Override
    public void limit(CgroupLimits limits) throws IOException {
        limitMemory(limits.memoryBytes());
        set(pids, "pids.max", limits.tasks());
        if (cpu != null) {
            set(cpu, "cpu.cfs_period_us", CgroupLimits.CPU_PERIOD_MICROS);
            set(cpu, "cpu.cfs_quota_us", limits.cpuQuotaMicros());
            set(cpu, "cpu.shares", limits.cpuShares());
        }
    }

    /**
     * The kernel refuses (EINVAL) to have memory and swap together below memory alone, also for a moment, hence the order. Without swap
     * accounting, nothing is swapped at all.
     */
    private void limitMemory(long bytes) throws IOException {
        if (!files().exists(memory.resolve("memory.memsw.limit_in_bytes"))) {
            set(memory, "memory.limit_in_bytes", bytes);
            set(memory, "memory.swappiness", 0);
        } else if (bytes > Long.parseLong(read(memory, "memory.memsw.limit_in_bytes"))) {
            set(memory, "memory.memsw.limit_in_bytes", bytes);
            set(memory, "memory.limit_in_bytes", bytes);
        } else {
            set(memory, "memory.limit_in_bytes", bytes);
            set(memory, "memory.memsw.limit_in_bytes", bytes);
        }
    }

    @Override
    public CgroupUsage usage() throws IOException {
        return new CgroupUsage(
                Long.parseLong(read(memory, "memory.usage_in_bytes")),
                Long.parseLong(read(memory, "memory.max_usage_in_bytes")),
                readKey(memory, "memory.oom_control", "oom_kill"),
                readKey(pids, "pids.events", "max"),
                cpuTime());
    }

    @Override
    public @Nullable Duration cpuTime() throws IOException {
        return cpuacct == null ? null : Duration.ofNanos(Long.parseLong(read(cpuacct, "cpuacct.usage")));
    }

    @Override
    void signal() throws IOException {
        signalEach();
    }
}
