package io.hexr.sandbox.sandbox.firecracker;

import io.hexr.sandbox.guest.GuestChannel;
import io.hexr.sandbox.guest.GuestSession;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.host.Deadline;
import io.hexr.sandbox.host.SparseFile;
import io.hexr.sandbox.host.Watchdog;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.template.TemplateKey;
import io.hexr.sandbox.sandbox.template.TemplateRecipe;
import io.hexr.sandbox.sandbox.template.VerifiedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Map;

/**
 * Makes a template: boots a guest until its interpreter is parked, pauses it, keeps its state and memory.
 *
 * <p>A snapshot fits only the same build of Firecracker, the same processor and the same kernel of the host; all of it is in the key. Whether a
 * snapshot that fits can really be resumed is tried each time one is opened, with a canary: versions exist that load it and then never connect.
 */
final class FirecrackerTemplateMaker implements TemplateRecipe<FirecrackerTemplate> {
    /** To be raised when the way of making templates changes in a way that nothing else in the key shows. */
    private static final int FORMAT = 1;

    private static final int ENTROPY_BYTES = 64;

    private final MicroVms machines;
    private final GuestKernel kernel;
    private final VerifiedFile image;
    private final String kernelArguments;
    private final Map<String, String> host;

    /** The host's part of the key is what Firecracker, processor and kernel are. */
    FirecrackerTemplateMaker(
            MicroVms machines,
            GuestKernel kernel,
            VerifiedFile image,
            String kernelArguments,
            Map<String, String> host) {
        this.machines = machines;
        this.kernel = kernel;
        this.image = image;
        this.kernelArguments = kernelArguments;
        this.host = Map.copyOf(host);
    }

    @Override
    public String key(Language language, int variant) {
        return TemplateKey.of(Map.of(
                "format", Integer.toString(FORMAT),
                "image", image.sha256(),
                "vmlinux", kernel.vmlinux().sha256(),
                "initramfs", kernel.initramfs().sha256(),
                "command line", commandLine(language),
                "size", machines.size().toString(),
                "host", TemplateKey.of(host),
                "variant", Integer.toString(variant)));
    }

    private String commandLine(Language language) {
        return KernelCommandLine.of(language, kernelArguments);
    }

    /** What a guest of this language boots from. */
    MicroVm.BootSource bootSource(Language language) {
        return new MicroVm.BootSource(
                kernel.vmlinux().path(), kernel.initramfs().path(), image.path(), commandLine(language));
    }

    @Override
    public void make(Language language, int variant, Path directory, Deadline deadline)
            throws SandboxException, IOException {
        kernel.vmlinux().verify();
        kernel.initramfs().verify();
        image.verify();
        try (MicroVm machine = machines.create(machines.size().cgroupLimitsOfTemplate());
                var _ = Watchdog.start(deadline.remaining(), machine::kill)) {
            machine.boot(bootSource(language), deadline);
            MicroVm.Snapshot made = machine.snapshot(deadline);
            machine.kill();
            MicroVm.Snapshot kept = snapshot(directory);
            keep(made.state(), kept.state());
            keep(made.memory(), kept.memory());
        }
    }

    /** Without the pages that a guest never touched, which are most. The monitor's user owned the original. */
    private static void keep(Path made, Path kept) throws IOException {
        SparseFile.copy(made, kept);
        Files.setPosixFilePermissions(kept, SharedFiles.READABLE);
        Files.delete(made);
    }

    private MicroVm.Snapshot snapshot(Path directory) {
        return new MicroVm.Snapshot(directory.resolve(Jail.STATE), directory.resolve(Jail.MEMORY), image.path());
    }

    @Override
    public FirecrackerTemplate open(Language language, int variant, String key, Path directory, Deadline deadline)
            throws SandboxException, IOException {
        MicroVm.Snapshot snapshot = snapshot(directory);
        try (MicroVm canary = machines.create(machines.size().cgroupLimitsOfTemplate());
                var _ = Watchdog.start(deadline.remaining(), canary::kill)) {
            GuestChannel channel = canary.resume(snapshot, deadline);
            byte[] entropy = new byte[ENTROPY_BYTES];
            new SecureRandom().nextBytes(entropy);
            try {
                new GuestSession(channel).handshake(Instant.now(), entropy);
            } catch (IOException e) {
                throw new IOException("%s; its log: %s".formatted(e.getMessage(), canary.log()), e);
            }
            long readyBytes = canary.usage().memoryBytes();
            return new FirecrackerTemplate(language, variant, key, snapshot, readyBytes);
        }
    }
}
