package io.hexr.sandbox.sandbox.gvisor;

import io.hexr.sandbox.host.CgroupLimits;
import io.hexr.sandbox.host.CgroupUsage;
import io.hexr.sandbox.sandbox.HostLimits;
import io.hexr.sandbox.sandbox.HostUsage;

/**
 * What a sandbox costs besides the program: between what a caller asked for and what the cgroup is told, and back.
 *
 * @param sentryBytes what gVisor itself takes: charge of a sandbox in which next to nothing is parked
 * @param readyBytes charge of a sandbox that is ready to run, the parked interpreter included
 * @param cores processors of this host
 */
record SandboxOverhead(long sentryBytes, long readyBytes, int cores) {
    /** Under systrap a process of the guest is up to two tasks of the host, and a third for a moment while it starts or ends. */
    private static final int TASKS_PER_PROCESS = 3;

    /** runsc, gofer and sentry without a program; measured 48 to 60 on two cores, more with more cores (threads of Go). */
    private static final int TASKS = 128;

    private static final int TASKS_PER_CORE = 8;

    /** A peak below it would be noise, and a program that ran has used some. */
    private static final long LEAST_PEAK_BYTES = 100 * 1024;

    CgroupLimits cgroupLimits(HostLimits limits) {
        return new CgroupLimits(
                limits.memoryBytes() + readyBytes,
                limits.cpus(),
                limits.processes() * TASKS_PER_PROCESS + TASKS + cores * TASKS_PER_CORE,
                limits.priority().weight());
    }

    HostUsage hostUsage(CgroupUsage usage, HostLimits limits) {
        long peak = usage.memoryPeakBytes() == 0
                ? 0
                : Math.clamp(usage.memoryPeakBytes() - sentryBytes, LEAST_PEAK_BYTES, limits.memoryBytes());
        return new HostUsage(peak, usage.oomKills() > 0, usage.taskLimitHits() > 0, usage.cpuTime());
    }
}
