package io.hexr.sandbox.sandbox;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the host counted for one sandbox.
 *
 * @param peakMemoryBytes the most memory the program used, the backend's overhead taken off; 0 if not known
 * @param oomKilled the kernel killed a process of the sandbox for its memory limit
 * @param processLimitHit the sandbox ran into the host's limit of processes
 * @param cpuTime of the program and of what runs it, from the moment when the sandbox got its limits; null if not known
 */
public record HostUsage(
        long peakMemoryBytes,
        boolean oomKilled,
        boolean processLimitHit,
        @Nullable Duration cpuTime) {}
