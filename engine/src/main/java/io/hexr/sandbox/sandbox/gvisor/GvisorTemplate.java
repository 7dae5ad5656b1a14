package io.hexr.sandbox.sandbox.gvisor;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.sandbox.Template;
import java.nio.file.Path;

/**
 * A verified checkpoint on disk.
 *
 * @param directory the OCI bundle, with the checkpoint in it
 * @param readyBytes charge of a sandbox that was restored from it and is ready to run
 */
record GvisorTemplate(Language language, int variant, String key, Path directory, long readyBytes) implements Template {
    Path checkpoint() {
        return checkpoint(directory);
    }

    static Path checkpoint(Path directory) {
        return directory.resolve("checkpoint");
    }
}
