package io.hexr.sandbox.host;

/**
 * The limits of one cgroup.
 *
 * @param memoryBytes memory of all kinds; there is no swap on top of it
 * @param cpus share of processors, 1.0 is one
 * @param tasks threads and processes, which the kernel counts alike
 */
public record CgroupLimits(long memoryBytes, double cpus, int tasks) {
    /** The kernel's own default period: long enough to cost nothing, short enough that a throttled program still feels alive. */
    static final int CPU_PERIOD_MICROS = 100_000;

    long cpuQuotaMicros() {
        return Math.round(cpus * CPU_PERIOD_MICROS);
    }
}
