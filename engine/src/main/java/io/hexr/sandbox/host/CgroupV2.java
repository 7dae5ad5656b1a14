package io.hexr.sandbox.host;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Set;

/** A cgroup of version 2. */
final class CgroupV2 extends Cgroup {
    private final Path directory;
    private final boolean cpu;

    /** @param cpu whether the cpu controller is there */
    CgroupV2(String id, Path directory, boolean cpu, CgroupFiles files) {
        super(id, Set.of(directory), files);
        this.directory = directory;
        this.cpu = cpu;
    }

    @Override
    public void limit(CgroupLimits limits) throws IOException {
        set(directory, "memory.max", limits.memoryBytes());
        if (files().exists(directory.resolve("memory.swap.max"))) {
            set(directory, "memory.swap.max", 0);
        }
        set(directory, "pids.max", limits.tasks());
        if (cpu) {
            set(directory, "cpu.max", limits.cpuQuotaMicros() + " " + CgroupLimits.CPU_PERIOD_MICROS);
            set(directory, "cpu.weight", limits.cpuWeight());
        }
    }

    @Override
    public CgroupUsage usage() throws IOException {
        return new CgroupUsage(
                Long.parseLong(read(directory, "memory.current")),
                files().exists(directory.resolve("memory.peak")) ? Long.parseLong(read(directory, "memory.peak")) : 0,
                readKey(directory, "memory.events", "oom_kill"),
                readKey(directory, "pids.events", "max"),
                cpuTime());
    }

    /** {@code cpu.stat} is in every cgroup, with the cpu controller or without. */
    @Override
    public Duration cpuTime() throws IOException {
        return Duration.of(readKey(directory, "cpu.stat", "usage_usec"), ChronoUnit.MICROS);
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
