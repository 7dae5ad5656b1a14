package io.hexr.sandbox.sandbox;

/**
 * What one sandbox may use of the host.
 *
 * @param memoryBytes what the caller asked for; the backend adds its own overhead, so that the program really gets this much
 * @param cpus share of processors, 1.0 is one
 * @param processes processes of the program; the backend adds its own
 */
public record HostLimits(long memoryBytes, double cpus, int processes) {}
