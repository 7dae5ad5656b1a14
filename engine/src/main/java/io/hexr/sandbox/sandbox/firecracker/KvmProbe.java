package io.hexr.sandbox.sandbox.firecracker;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.host.Deadline;
import io.hexr.sandbox.host.Watchdog;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Finds out whether this host runs guests: boots one. The device node alone proves nothing: on some virtual hosts it opens, machines and
 * processors can be made, and no guest ever gets to its first process.
 */
final class KvmProbe {
    private static final Path DEVICE = Path.of("/dev/kvm");

    private KvmProbe() {}

    /** Spares the rest where it cannot help. */
    static void requireDevice() throws SandboxException {
        if (!Files.isReadable(DEVICE) || !Files.isWritable(DEVICE)) {
            throw new SandboxException(
                    Code.BACKEND_UNUSABLE,
                    DEVICE + " is not there or not for the engine's user: enable virtualization on this host");
        }
    }

    /**
     * The version of Firecracker that booted a guest.
     *
     * @throws SandboxException if none booted in time; the message is the reason
     */
    static FirecrackerVersion boot(MicroVms machines, FirecrackerTemplateMaker maker, Duration timeout)
            throws SandboxException {
        Deadline deadline = Deadline.after(timeout);
        try (MicroVm machine = machines.create(machines.size().cgroupLimitsOfTemplate());
                var _ = Watchdog.start(timeout, machine::kill)) {
            return machine.boot(maker.bootSource(Language.BASH), deadline);
        } catch (SandboxException e) {
            String reason = e.code() == Code.RESUME_TIMEOUT
                    ? "KVM runs no guest here: none booted within %d s (KVM_PROBE_TIMEOUT)"
                            .formatted(timeout.toSeconds())
                    : "no guest booted: " + e.getMessage();
            throw new SandboxException(Code.BACKEND_UNUSABLE, reason, e);
        }
    }
}
