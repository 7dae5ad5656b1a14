package io.hexr.sandbox.sandbox.firecracker;

import java.nio.file.Path;
import java.time.Duration;

/** The real parts that the tests tagged {@code lab} and {@code sandbox} need; {@code ./dev test} makes them and sets the variables. */
final class FirecrackerParts {
    /** As the engine has it when nothing is said. */
    private static final int PROGRAM_MEMORY_MB = 128;

    private FirecrackerParts() {}

    static FirecrackerSettings settings(Path stateDir) {
        return settings(stateDir, path("FIRECRACKER_BIN"), path("JAILER_BIN"), path("LAUNCHER_BIN"), "");
    }

    static FirecrackerSettings settings(
            Path stateDir, Path firecracker, Path jailer, Path launcher, String kernelArguments) {
        return new FirecrackerSettings(
                firecracker,
                jailer,
                launcher,
                path("GUEST_KERNEL"),
                path("GUEST_IMAGE"),
                stateDir,
                kernelArguments,
                900_100_000,
                PROGRAM_MEMORY_MB,
                1,
                probeTimeout());
    }

    /** An emulated machine takes longer. */
    private static Duration probeTimeout() {
        return Duration.ofSeconds(Integer.getInteger("hexr.probe.seconds", 120));
    }

    static Path path(String variable) {
        String value = System.getenv(variable);
        if (value == null) {
            throw new AssertionError(variable + " is not set: run these tests with ./dev test");
        }
        return Path.of(value);
    }
}
