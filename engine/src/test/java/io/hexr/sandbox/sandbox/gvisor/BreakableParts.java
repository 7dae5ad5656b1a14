package io.hexr.sandbox.sandbox.gvisor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** The real parts behind scripts that can be told to do something else instead. */
final class BreakableParts {
    private final Path directory;
    private final GvisorSettings settings;

    BreakableParts(Path directory) throws IOException {
        this.directory = directory;
        GvisorSettings real = GvisorParts.settings(directory.resolve("s"));
        this.settings = new GvisorSettings(
                script("runsc", real.runsc()), script("launcher", real.launcher()), real.guestImage(), real.stateDir());
    }

    GvisorSettings settings() {
        return settings;
    }

    void breakRunsc(String instead) throws IOException {
        Files.writeString(directory.resolve("runsc.instead"), instead);
    }

    void breakLauncher(String instead) throws IOException {
        Files.writeString(directory.resolve("launcher.instead"), instead);
    }

    private Path script(String name, Path real) throws IOException {
        Path script = Files.createFile(
                directory.resolve(name),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path instead = directory.resolve(name + ".instead");
        return Files.writeString(script, """
                #!/bin/sh
                if [ -e %1$s ] && [ "$1" != --version ]; then . %1$s; fi
                exec %2$s "$@"
                """.formatted(instead, real));
    }
}
