package io.hexr.sandbox.host;

/**
 * The limits of one cgroup.
 *
 * @param memoryBytes memory of all kinds; there is no swap on top of it
 * @param cpus share of processors, 1.0 is one
 * @param tasks threads and processes, which the kernel counts alike
 * @param weight its share of processors that are short, against that of others; 1.0 is the kernel's default
 */
public record CgroupLimits(long memoryBytes, double cpus, int tasks, double weight) {
    /** The kernel's own default period: long enough to cost nothing, short enough that a throttled program still feels alive. */
    static final int CPU_PERIOD_MICROS = 100_000;

    private static final int V1_DEFAULT_SHARES = 1_024;
    private static final int V2_DEFAULT_WEIGHT = 100;

    long cpuQuotaMicros() {
        return Math.round(cpus * CPU_PERIOD_MICROS);
    }

    /** As {@code cpu.shares} of version 1 has it. */
    long cpuShares() {
        return Math.round(weight * V1_DEFAULT_SHARES);
    }

    /** As {@code cpu.weight} of version 2 has it. */
    long cpuWeight() {
        return Math.round(weight * V2_DEFAULT_WEIGHT);
    }
}
