package io.hexr.sandbox.sandbox.firecracker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * A program that takes the jailer's place and plays jailer, Firecracker and agent at once, as far as the engine sees them, or goes wrong at one
 * point. It needs no KVM; the launcher, cgroups and sockets around it are real.
 */
final class FakeMonitor {
    /** Where it goes wrong. */
    enum Fault {
        NONE,
        FAILS_TO_START,
        NEVER_LISTENS,
        IS_TOO_OLD,
        DIES_IN_BOOT,
        NEVER_PARKS,
        TALKS_AFTER_PARKING,
        DISK_IS_FULL,
        STOPS_IN_LOAD,
        DIES_IN_LOAD,
        REFUSES_LOAD,
        LOSES_FIRST_CONNECTION,
        ACCEPTS_NO_CONNECTION,
        DIES_IN_HANDSHAKE
    }

    private FakeMonitor() {}

    static Path install(Path directory, Fault fault) throws IOException {
        Path program = Files.createFile(
                directory.resolve("jailer"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        try (InputStream source = FakeMonitor.class.getResourceAsStream("fake-monitor.py")) {
            String text = new String(requireNonNull(source).readAllBytes(), UTF_8);
            return Files.writeString(program, text.replace("FAULT = \"NONE\"", "FAULT = \"" + fault + "\""));
        }
    }
}
