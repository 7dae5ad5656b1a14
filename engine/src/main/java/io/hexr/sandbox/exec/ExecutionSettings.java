package io.hexr.sandbox.exec;

import java.time.Duration;

/**
 * What every execution may use at most, from the configuration.
 *
 * @param capacity sandboxes at once
 * @param queueLength requests that may wait for one
 * @param queueTimeout how long they may wait
 * @param grace how long after the program's own deadline the guest may take to report before the host ends the sandbox
 * @param cpus share of processors of one sandbox
 */
public record ExecutionSettings(
        int capacity,
        int queueLength,
        Duration queueTimeout,
        Duration grace,
        double cpus,
        int processes,
        int openFiles,
        int outputBytes,
        int inodes,
        long workspaceBytes,
        long tmpBytes,
        long shmBytes,
        int maxArtifacts,
        long artifactBytes) {}
