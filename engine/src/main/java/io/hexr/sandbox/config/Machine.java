package io.hexr.sandbox.config;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** The size of the machine, from which defaults come. In a container both are the container's. */
public record Machine(int cores, long memoryBytes) {

    public static Machine current() {
        return new Machine(
                Runtime.getRuntime().availableProcessors(),
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize());
    }
}
