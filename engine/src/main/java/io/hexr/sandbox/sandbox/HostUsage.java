package io.hexr.sandbox.sandbox;

/**
 * What the host counted for one sandbox.
 *
 * @param peakMemoryBytes the most memory the program used, the backend's overhead taken off; 0 if not known
 * @param oomKilled the kernel killed a process of the sandbox for its memory limit
 * @param processLimitHit the sandbox ran into the host's limit of processes
 */
public record HostUsage(long peakMemoryBytes, boolean oomKilled, boolean processLimitHit) {}
