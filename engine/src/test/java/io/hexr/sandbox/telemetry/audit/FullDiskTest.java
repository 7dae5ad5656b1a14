package io.hexr.sandbox.telemetry.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A disk that is really full: a small tmpfs, for which the test must be root. */
@Tag("sandbox")
@Timeout(60)
class FullDiskTest {
    @TempDir
    private Path directory;

    @Test
    void aFullDiskLosesNoRecordAndLeavesNoHalfLine() throws Exception {
        run("mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "audit-test", directory.toString());
        try {
            fillAndGoOn();
        } finally {
            run("umount", directory.toString());
        }
    }

    private void fillAndGoOn() throws Exception {
        Path file = directory.resolve("audit.jsonl");
        try (var audit = AuditLog.open(file, 1 << 20, false, "gvisor", "user_space_kernel")) {
            audit.write(AuditLogTest.call("exec-0"));
            Path ballast = directory.resolve("ballast");
            fill(ballast);

            int failed = 0;
            for (int i = 1; failed == 0 && i < 100; i++) {
                try {
                    audit.write(AuditLogTest.call("exec-" + i));
                } catch (IOException e) {
                    assertThat(e).hasMessageContaining("space");
                    failed = i;
                }
            }
            assertThat(failed).as("the record that found no room").isPositive();
            assertThat(Files.readString(file)).endsWith("}\n");
            assertThatThrownBy(audit::requireWritable).isInstanceOf(IOException.class);

            Files.delete(ballast);
            audit.requireWritable();
            assertThat(AuditVerifier.verify(file).lastSequence()).isEqualTo(failed + 1);
            assertThat(Files.readString(file)).contains("exec-" + failed);
        }
    }

    private static void fill(Path file) {
        try (OutputStream out = Files.newOutputStream(file)) {
            byte[] block = new byte[1 << 10];
            for (int i = 0; i < 1_000; i++) {
                out.write(block);
            }
            throw new AssertionError("a tmpfs of 64 KiB held a megabyte");
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("space");
        }
    }

    private static void run(String... command) throws Exception {
        var process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(String.join(" ", command)).isZero();
    }
}
