package io.hexr.sandbox.sandbox.firecracker;

import io.hexr.sandbox.host.CgroupLimits;
import io.hexr.sandbox.sandbox.HostLimits;

/**
 * How large every machine of this engine is. It is part of the snapshot, so one size serves all calls; what a call may use is bounded inside, by
 * the agent's cgroup.
 *
 * @param memoryMib RAM of the guest
 */
record MachineSize(int vcpus, int memoryMib) {
    private static final long MIB = 1 << 20;

    /** The guest's kernel, the agent and the largest parked interpreter, besides what a program asked for. */
    private static final int GUEST_OVERHEAD_MIB = 256;

    /** Firecracker sets no more up, see machine-config of its API. */
    private static final int MAX_VCPUS = 32;

    /**
     * The machine monitor itself: its private memory (2 MB when idle), the copy of its program that the jailer makes (3 MB), the page tables by
     * which KVM maps the guest's memory (2 MB a GB) and kernel stacks. Generous, because running into it would look like the program's fault.
     */
    private static final long MONITOR_BYTES = 64 * MIB;

    /** Firecracker has a thread for the API, one for devices and one for each vCPU; the rest is for the jailer and KVM's own helpers. */
    private static final int MONITOR_TASKS = 16;

    static MachineSize of(FirecrackerSettings settings) {
        int vcpus = Math.clamp((long) Math.ceil(settings.cpus()), 1, MAX_VCPUS);
        return new MachineSize(vcpus, settings.programMemoryMb() + GUEST_OVERHEAD_MIB);
    }

    long memoryBytes() {
        return memoryMib * MIB;
    }

    /** The outer bound, around monitor and guest; what the program may use of the memory, the agent sees to. */
    CgroupLimits cgroupLimits(HostLimits limits) {
        return cgroupLimits(limits.cpus(), limits.priority().weight());
    }

    /** For a machine in which no program runs: all processors may help. */
    CgroupLimits cgroupLimitsOfTemplate() {
        return cgroupLimits(Runtime.getRuntime().availableProcessors(), 1);
    }

    private CgroupLimits cgroupLimits(double cpus, double weight) {
        return new CgroupLimits(memoryBytes() + MONITOR_BYTES, cpus, MONITOR_TASKS + vcpus, weight);
    }
}
