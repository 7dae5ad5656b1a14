package io.hexr.sandbox.sandbox.gvisor;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.sandbox.HostLimits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** An engine that makes a sandbox and then waits to be killed. */
final class AbandonedEngine {
    private AbandonedEngine() {}

    /** Arguments: state directory, file to make once the sandbox lives. */
    public static void main(String[] arguments) throws Exception {
        var backend = GvisorBackend.open(GvisorParts.settings(Path.of(arguments[0])));
        var template = backend.prepare(Language.BASH, 0, Duration.ofSeconds(60));
        backend.resume(template, new HostLimits(64 << 20, 1, 16), Duration.ofSeconds(60));
        Files.createFile(Path.of(arguments[1]));
        Thread.sleep(Duration.ofHours(1));
    }
}
