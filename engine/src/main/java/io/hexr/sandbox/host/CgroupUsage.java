package io.hexr.sandbox.host;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the kernel counted for one cgroup.
 *
 * @param memoryPeakBytes 0 where the kernel does not keep it (cgroup v2 before Linux 5.19)
 * @param oomKills processes killed because the memory limit was reached
 * @param taskLimitHits how often a fork failed because of the task limit
 * @param cpuTime of all its processes on all processors; null where the kernel does not count it (cgroup v1 without cpuacct)
 */
public record CgroupUsage(
        long memoryBytes,
        long memoryPeakBytes,
        long oomKills,
        long taskLimitHits,
        @Nullable Duration cpuTime) {

    /** The same, but of the processor's time only what came after another reading. */
    public CgroupUsage withCpuTimeSince(@Nullable Duration earlier) {
        return cpuTime == null || earlier == null
                ? this
                : new CgroupUsage(memoryBytes, memoryPeakBytes, oomKills, taskLimitHits, cpuTime.minus(earlier));
    }
}
