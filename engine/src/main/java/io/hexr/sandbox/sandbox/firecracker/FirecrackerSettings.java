package io.hexr.sandbox.sandbox.firecracker;

import java.nio.file.Path;
import java.time.Duration;

/**
 * Where the parts of the backend are, and how large its machines.
 *
 * @param launcher {@code sandbox-launch}
 * @param guestKernel directory with {@code vmlinux}, {@code initramfs.cpio} and {@code manifest.json}
 * @param guestImage directory with {@code root.erofs} and {@code manifest.json}
 * @param stateDir templates and the jails of running machines; one engine at a time may use it
 * @param kernelArguments further ones for the guest's kernel, may be empty
 * @param uidBase first of the user and group ids that machines run under
 * @param programMemoryMb most memory a program may have; a machine has more, see {@link MachineSize}
 * @param cpus processors of a machine, whole ones are taken for parts
 * @param probeTimeout how long a guest may take to show that KVM works
 */
public record FirecrackerSettings(
        Path firecracker,
        Path jailer,
        Path launcher,
        Path guestKernel,
        Path guestImage,
        Path stateDir,
        String kernelArguments,
        int uidBase,
        int programMemoryMb,
        double cpus,
        Duration probeTimeout) {}
