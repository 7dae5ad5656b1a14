package io.hexr.sandbox;

import io.hexr.sandbox.telemetry.audit.AuditVerifier;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What operators do with the audit log. Exit status: 0 when its chain is intact, 1 when it is not. */
@Command(name = "audit", description = "Works on the audit log (AUDIT_FILE).", mixinStandardHelpOptions = true)
final class AuditCommand {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Command(
            name = "verify",
            description =
                    "Follows the chain of the log through all of its files and names the first line that does not fit.",
            mixinStandardHelpOptions = true)
    int verify(
            @Parameters(paramLabel = "FILE", description = "The current file; the full ones beside it are found.")
                    Path file) {
        try {
            var intact = AuditVerifier.verify(file);
            spec.commandLine()
                    .getOut()
                    .println("intact: records %d to %d in %d files; the last hash is %s"
                            .formatted(
                                    intact.firstSequence(), intact.lastSequence(), intact.files(), intact.lastHash()));
            return 0;
        } catch (IOException e) {
            spec.commandLine().getErr().println("not intact: " + e.getMessage());
            return 1;
        }
    }
}
