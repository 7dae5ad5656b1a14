package io.hexr.sandbox.sandbox.gvisor;

import java.nio.file.Path;

/** The real parts that the tests tagged {@code sandbox} need; {@code ./dev test} builds them and sets the variables. */
final class GvisorParts {
    private GvisorParts() {}

    static GvisorSettings settings(Path stateDir) {
        return new GvisorSettings(path("RUNSC_BIN"), path("LAUNCHER_BIN"), path("GUEST_IMAGE"), stateDir);
    }

    private static Path path(String variable) {
        String value = System.getenv(variable);
        if (value == null) {
            throw new AssertionError(variable + " is not set: run these tests with ./dev test");
        }
        return Path.of(value);
    }
}
