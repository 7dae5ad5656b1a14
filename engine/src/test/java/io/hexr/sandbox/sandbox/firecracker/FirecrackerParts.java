package io.hexr.sandbox.sandbox.firecracker;

import java.nio.file.Path;
import java.time.Duration;

/** The real parts that the tests tagged {@code lab} and {@code sandbox} need; {@code ./dev test} makes them and sets the variables. */
final class FirecrackerParts {
    /** As an engine has it that finds the same templates; small, because all of a machine's memory is read when one is made. */
    static final int PROGRAM_MEMORY_MB = Integer.parseInt(System.getenv().getOrDefault("MAX_MEMORY_MB", "128"));

    /** Enough for an emulated machine. */
    private static final Duration PROBE_TIMEOUT = Duration.ofMinutes(2);

    private FirecrackerParts() {}

    static FirecrackerSettings settings(Path stateDir) {
        return new FirecrackerSettings(
                path("FIRECRACKER_BIN"),
                path("JAILER_BIN"),
                path("LAUNCHER_BIN"),
                path("GUEST_KERNEL"),
                path("GUEST_IMAGE"),
                stateDir,
                System.getenv().getOrDefault("GUEST_KERNEL_ARGS", ""),
                900_100_000,
                PROGRAM_MEMORY_MB,
                1,
                PROBE_TIMEOUT);
    }

    static Path path(String variable) {
        String value = System.getenv(variable);
        if (value == null) {
            throw new AssertionError(variable + " is not set: run these tests with ./dev test");
        }
        return Path.of(value);
    }
}
