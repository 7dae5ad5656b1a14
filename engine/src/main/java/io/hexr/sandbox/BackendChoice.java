package io.hexr.sandbox;

import io.hexr.sandbox.config.EngineConfig;
import io.hexr.sandbox.sandbox.BackendInfo;
import io.hexr.sandbox.sandbox.SandboxBackend;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.firecracker.FirecrackerBackend;
import io.hexr.sandbox.sandbox.firecracker.FirecrackerSettings;
import io.hexr.sandbox.sandbox.gvisor.GvisorBackend;
import io.hexr.sandbox.sandbox.gvisor.GvisorSettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The backend in force, with the reason. Hardware isolation is never claimed without a guest that booted, and never silently given up.
 *
 * @param info what is said of it everywhere
 */
record BackendChoice(SandboxBackend backend, BackendInfo info) {
    private static final Logger log = LoggerFactory.getLogger(BackendChoice.class);

    /** Opens the backend that the configuration asks for, or refuses. */
    static BackendChoice open(EngineConfig config) throws StartException, SandboxException {
        return switch (config.backend().choice()) {
            case FIRECRACKER -> because(firecracker(config), "SANDBOX_BACKEND=firecracker");
            case GVISOR -> because(gvisor(config), "SANDBOX_BACKEND=gvisor");
            case AUTO -> best(config);
        };
    }

    private static BackendChoice best(EngineConfig config) throws StartException, SandboxException {
        try {
            return because(firecracker(config), "a guest booted under KVM");
        } catch (SandboxException e) {
            if (config.backend().requireHardwareIsolation()) {
                throw new StartException(
                        "REQUIRE_HARDWARE_ISOLATION=true cannot be met: %s. Set it to false to run with gVisor."
                                .formatted(e.getMessage()),
                        e);
            }
            return because(gvisor(config), "no Firecracker: " + e.getMessage());
        }
    }

    private static BackendChoice because(SandboxBackend backend, String reason) {
        BackendInfo info = backend.info().because(reason);
        log.info("backend {} {}, isolation {}: {}", info.name(), info.version(), info.isolation(), reason);
        return new BackendChoice(backend, info);
    }

    private static SandboxBackend firecracker(EngineConfig config) throws SandboxException {
        var backend = config.backend();
        var own = backend.firecracker();
        return FirecrackerBackend.open(new FirecrackerSettings(
                own.program(),
                own.jailer(),
                backend.launcher(),
                own.kernel(),
                backend.guestImage(),
                backend.stateDir(),
                own.kernelArguments(),
                own.uidBase(),
                config.requests().maxMemoryMb(),
                config.sandboxes().cpus(),
                own.probeTimeout()));
    }

    private static SandboxBackend gvisor(EngineConfig config) throws SandboxException {
        var backend = config.backend();
        return GvisorBackend.open(
                new GvisorSettings(backend.runsc(), backend.launcher(), backend.guestImage(), backend.stateDir()));
    }
}
