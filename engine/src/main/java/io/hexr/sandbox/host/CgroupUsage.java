package io.hexr.sandbox.host;

/**
 * What the kernel counted for one cgroup.
 *
 * @param memoryPeakBytes 0 where the kernel does not keep it (cgroup v2 before Linux 5.19)
 * @param oomKills processes killed because the memory limit was reached
 * @param taskLimitHits how often a fork failed because of the task limit
 */
public record CgroupUsage(long memoryBytes, long memoryPeakBytes, long oomKills, long taskLimitHits) {}
