package io.hexr.sandbox;

import io.hexr.sandbox.config.EngineConfig;
import io.hexr.sandbox.sandbox.SandboxBackend;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.gvisor.GvisorBackend;
import io.hexr.sandbox.sandbox.gvisor.GvisorSettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the backend that the configuration asks for, or refuses. Hardware isolation is never claimed and never silently given up. */
final class BackendChoice {
    private static final Logger log = LoggerFactory.getLogger(BackendChoice.class);
    private static final String NO_FIRECRACKER = "This version has no Firecracker backend yet.";

    private BackendChoice() {}

    static SandboxBackend open(EngineConfig.Backend config) throws StartException, SandboxException {
        if (config.requireHardwareIsolation()) {
            throw new StartException(NO_FIRECRACKER
                    + " REQUIRE_HARDWARE_ISOLATION=true therefore cannot be met: set it to false to run with gVisor.");
        }
        return switch (config.choice()) {
            case FIRECRACKER -> throw new StartException(NO_FIRECRACKER + " Set SANDBOX_BACKEND to gvisor or auto.");
            case AUTO -> {
                log.info("backend gvisor: {}", NO_FIRECRACKER);
                yield gvisor(config);
            }
            case GVISOR -> gvisor(config);
        };
    }

    private static SandboxBackend gvisor(EngineConfig.Backend config) throws SandboxException {
        return GvisorBackend.open(
                new GvisorSettings(config.runsc(), config.launcher(), config.guestImage(), config.stateDir()));
    }
}
