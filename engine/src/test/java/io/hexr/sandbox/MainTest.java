package io.hexr.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.telemetry.audit.AuditLog;
import io.hexr.sandbox.telemetry.audit.AuditRecord;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Exit statuses and last words of the program; each test is a process of its own. */
@Timeout(120)
class MainTest {
    @TempDir
    private Path directory;

    private record Ended(int status, String output) {}

    @Test
    void helpListsTheVariables() throws Exception {
        var ended = run(Map.of(), "--help");
        assertThat(ended.status()).isZero();
        assertThat(ended.output()).contains("LISTEN_ADDRESS", "MAX_EXECUTION_TIME", "STATE_DIR");
    }

    @Test
    void theRequestThatIsPrintedToTryFitsTheAddress() {
        assertThat(Main.curlAddress(URI.create("http://127.0.0.1:8080"))).isEqualTo("http://127.0.0.1:8080");
        assertThat(Main.curlAddress(URI.create("unix:/run/a%20b.sock")))
                .isEqualTo("--unix-socket '/run/a b.sock' http://localhost");
    }

    @Test
    void anUnknownOptionIsTwo() throws Exception {
        var ended = run(Map.of(), "--no-such-option");
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.output()).contains("--no-such-option", "--help").hasLineCount(1);
    }

    @Test
    void aBadConfigurationIsTwoAndNamesEveryError() throws Exception {
        var ended = run(Map.of("LISTEN_ADDRESS", "nowhere", "MAX_MEMORY_MB", "much"));
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.output())
                .contains("LISTEN_ADDRESS=nowhere", "MAX_MEMORY_MB=much")
                .doesNotContain("\tat ");
    }

    @Test
    void aStartWithoutAnImageIsOneAndSaysWhatToDo() throws Exception {
        var ended = run(Map.of("GUEST_IMAGE", directory.toString()));
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.output())
                .contains("cannot start", directory + "/manifest.json", "GUEST_IMAGE")
                .doesNotContain("\tat ");
    }

    @Test
    void anIsolationThatCannotBeHadIsOneAndNeverGivenUp() throws Exception {
        Files.writeString(directory.resolve("manifest.json"), "{\"versions\": {}, \"sha256\": \"\"}");
        Files.createFile(directory.resolve("root.erofs"));
        var ended = run(Map.of("GUEST_IMAGE", directory.toString(), "REQUIRE_HARDWARE_ISOLATION", "true"));
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.output()).contains("REQUIRE_HARDWARE_ISOLATION");
    }

    @Test
    void aStateDirectoryThatCannotBeMadeIsNamedWithTheReason() throws Exception {
        var ended = run(withStandIns("STATE_DIR", "/proc/absent"));
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.output())
                .contains("STATE_DIR=/proc/absent cannot be used: /proc/absent does not exist")
                .doesNotContain("Exception");
    }

    @Test
    void aProgramThatIsNoRunscIsRefusedAtTheStart() throws Exception {
        var ended = run(withStandIns("STATE_DIR", directory.resolve("s").toString()));
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.output())
                .contains("/bin/true is no runsc", "RUNSC_BIN")
                .doesNotContain("Exception");
    }

    /** A configuration whose parts are there but are not what they should be. */
    private Map<String, String> withStandIns(String name, String value) throws IOException {
        Files.writeString(directory.resolve("manifest.json"), "{\"versions\": {}, \"sha256\": \"\"}");
        Files.createFile(directory.resolve("root.erofs"));
        return Map.of(
                "GUEST_IMAGE",
                directory.toString(),
                "SANDBOX_BACKEND",
                "gvisor",
                "RUNSC_BIN",
                "/bin/true",
                "LAUNCHER_BIN",
                "/bin/true",
                name,
                value);
    }

    @Test
    void auditVerifyIsZeroForAnIntactLogAndOneForAChangedOneWhoseLineItNames() throws Exception {
        Path file = directory.resolve("audit.jsonl");
        try (var audit = AuditLog.open(file, 1 << 20, false, "gvisor", "user_space_kernel")) {
            for (int i = 0; i < 2; i++) {
                audit.write(new AuditRecord(null, "caller" + i, "mtls", null, null, "queue_full", null, null, null, 1));
            }
        }
        var intact = run(Map.of(), "audit", "verify", file.toString());
        assertThat(intact.status()).as(intact.output()).isZero();
        assertThat(intact.output()).contains("records 1 to 2");

        Files.writeString(file, Files.readString(file).replace("caller1", "callerX"));
        var changed = run(Map.of(), "audit", "verify", file.toString());
        assertThat(changed.status()).isEqualTo(1);
        assertThat(changed.output()).contains(file + ", line 2");

        var absent = run(Map.of(), "audit", "verify", file + "x");
        assertThat(absent.status()).isEqualTo(1);
        assertThat(absent.output()).contains("there is no file " + file + "x");
    }

    private Ended run(Map<String, String> variables, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of(arguments));
        File output = directory.resolve("output").toFile();
        var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output);
        builder.environment().clear();
        builder.environment().putAll(variables);
        Process process = builder.start();
        try {
            assertThat(process.waitFor(100, TimeUnit.SECONDS)).isTrue();
            return new Ended(process.exitValue(), Files.readString(output.toPath()));
        } finally {
            process.destroyForcibly();
        }
    }
}
