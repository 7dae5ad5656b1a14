package io.hexr.sandbox.telemetry.audit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

@Timeout(60)
class AuditLogTest {
    private static final long LARGE = 1 << 20;

    /** With ends of lines that JSON escapes, and of Unicode, which it leaves as they are. */
    private static final String CODE = "print('a')\r\n# \u2028 \u0085 \"ä\"\n";

    @TempDir
    private Path directory;

    private Path file;

    @BeforeEach
    void choose() {
        file = directory.resolve("audit.jsonl");
    }

    private AuditLog open(long maxBytes) throws IOException {
        return AuditLog.open(file, maxBytes, false, "gvisor", "user_space_kernel");
    }

    static AuditRecord call(String id) {
        return new AuditRecord(
                id,
                "spiffe://example.org/agent/demo",
                "mtls",
                "127.0.0.1",
                null,
                "ok",
                null,
                AuditRecord.Program.of("python", CODE, Duration.ofSeconds(30), 256),
                new AuditRecord.Run(0, null, 17, 12.5),
                42);
    }

    private void write(int count, long maxBytes) throws IOException {
        try (var audit = open(maxBytes)) {
            for (int i = 0; i < count; i++) {
                audit.write(call("exec-" + i));
            }
        }
    }

    @Test
    void aRecordIsOneLineOfJsonThatSaysWhoRanWhat() throws Exception {
        write(1, LARGE);

        var lines = Files.readAllLines(file);
        assertThat(lines).hasSize(1);
        var json = JsonMapper.shared().readTree(lines.getFirst());
        assertThat(json.propertyNames())
                .containsExactly("sequence", "previous", "time", "backend", "isolation", "call", "hash");
        assertThat(json.path("isolation").asString()).isEqualTo("user_space_kernel");
        assertThat(json.at("/call/caller").asString()).isEqualTo("spiffe://example.org/agent/demo");
        assertThat(json.at("/call/program/code_sha256").asString()).isEqualTo(AuditLine.sha256(CODE.getBytes(UTF_8)));
        assertThat(lines.getFirst()).doesNotContain("print(");
        assertThat(json.at("/call/run/exit_code").asInt()).isZero();
    }

    @Test
    void theCodeIsInTheRecordOnlyWhenAskedFor() throws Exception {
        write(1, LARGE);
        try (var audit = AuditLog.open(file, LARGE, true, "gvisor", "user_space_kernel")) {
            audit.write(call("exec-with-code"));
        }
        write(1, LARGE);

        var programs = Files.readAllLines(file).stream()
                .map(line -> JsonMapper.shared().readTree(line).at("/call/program"))
                .toList();
        assertThat(programs).hasSize(3);
        assertThat(programs.get(0).has("code")).isFalse();
        assertThat(programs.get(1).path("code").asString()).isEqualTo(CODE);
        assertThat(programs.get(2).has("code")).isFalse();
        assertThat(AuditVerifier.verify(file).lastSequence()).isEqualTo(3);
    }

    @Test
    void theChainGoesOnAcrossRestartsAndFiles() throws Exception {
        write(3, 2_000);
        write(4, 2_000);

        var intact = AuditVerifier.verify(file);
        assertThat(intact.firstSequence()).isEqualTo(1);
        assertThat(intact.lastSequence()).isEqualTo(7);
        assertThat(intact.files()).isGreaterThan(1);
        assertThat(AuditTail.rotated(file))
                .allSatisfy(full -> assertThat(Files.size(full)).isLessThanOrEqualTo(2_000));
    }

    @Test
    void ofAFileThatIsLargerThanTheHeapTheStartReadsTheLinesThatItNeeds() throws Exception {
        write(2, LARGE);
        var lines = Files.readAllLines(file);
        var between = new byte[32 << 20];
        Arrays.fill(between, (byte) '\n');
        Files.write(file, List.of(lines.getFirst(), new String(between, UTF_8), lines.getLast()));
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

        long before = threads.getCurrentThreadAllocatedBytes();
        var tail = AuditTail.read(file);

        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(LARGE);
        assertThat(tail.firstSequence()).isEqualTo(1);
        assertThat(tail.sequence()).isEqualTo(2);
    }

    @Test
    void everyLineThatIsChangedRemovedInsertedOrMovedIsFound() throws Exception {
        write(5, LARGE);
        var lines = Files.readAllLines(file);
        for (int i = 0; i < lines.size(); i++) {
            assertTampered(i, lines, changed -> changed.set(at, changed.get(at).replace("demo", "dem0")));
            if (i < lines.size() - 1) {
                if (i > 0) {
                    assertTampered(i, lines, changed -> changed.remove(at));
                }
                assertTampered(i, lines, changed -> changed.add(at, changed.get(at)));
                assertTampered(i, lines, changed -> changed.add(at, changed.remove(at + 1)));
            }
        }
        Files.write(file, lines);
        assertThat(AuditVerifier.verify(file).lastSequence()).isEqualTo(5);
    }

    private int at;

    private interface Tampering {
        void on(List<String> lines);
    }

    private void assertTampered(int index, List<String> lines, Tampering tampering) throws IOException {
        at = index;
        var changed = new ArrayList<>(lines);
        tampering.on(changed);
        Files.write(file, changed);
        assertThatThrownBy(() -> AuditVerifier.verify(file))
                .as("line " + index)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("line ");
    }

    @Test
    void aLineRewrittenWithARightHashStillBreaksTheChain() throws Exception {
        write(3, LARGE);
        var lines = Files.readAllLines(file);
        var second = AuditLine.parse(lines.get(1)).orElseThrow();
        var forged = AuditLine.of(2, second.previous(), Instant.EPOCH, "gvisor", "user_space_kernel", call("forged"));
        lines.set(1, forged.text());
        Files.write(file, lines);

        assertThatThrownBy(() -> AuditVerifier.verify(file)).hasMessageContaining("line 3");
    }

    @Test
    void aLineThatADyingEngineLeftHalfWrittenIsCutOff() throws Exception {
        write(2, LARGE);
        Files.writeString(file, Files.readString(file) + "{\"sequence\":3,\"prev");
        write(1, LARGE);

        assertThat(AuditVerifier.verify(file).lastSequence()).isEqualTo(3);
    }

    @Test
    void anEngineDoesNotGoOnWithALogThatWasChanged() throws Exception {
        write(2, LARGE);
        Files.writeString(file, Files.readString(file).replace("exec-1", "exec-9"));

        assertThatThrownBy(() -> open(LARGE)).isInstanceOf(IOException.class).hasMessageContaining("audit verify");
    }

    @Test
    void aLogThatCannotBeOpenedIsNamedWithTheReason() {
        file = directory.resolve("nowhere/audit.jsonl");

        assertThatThrownBy(() -> open(LARGE))
                .hasMessageContaining("AUDIT_FILE")
                .hasMessageContaining(file.toString())
                .hasMessageContaining("NoSuchFile");
    }

    @Test
    void recordsOfManyThreadsAreOneChain() throws Exception {
        try (var audit = open(20_000);
                var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            var writes = new ArrayList<Future<?>>();
            for (int i = 0; i < 200; i++) {
                String id = "exec-" + i;
                writes.add(executor.submit(() -> {
                    audit.write(call(id));
                    return null;
                }));
            }
            for (var write : writes) {
                write.get(30, TimeUnit.SECONDS);
            }
        }
        assertThat(AuditVerifier.verify(file).lastSequence()).isEqualTo(200);
    }

    /** A file that cannot be rotated stands for a disk that is full: both are an IOException of the write. */
    @Test
    void whatCannotBeWrittenIsOwedAndWrittenBeforeAnythingElse() throws Exception {
        try (var audit = open(600)) {
            audit.write(call("exec-0"));
            Path obstacle = Files.createDirectory(directory.resolve("audit.jsonl.%018d".formatted(1)));

            assertThatThrownBy(() -> audit.write(call("exec-1"))).isInstanceOf(IOException.class);
            assertThatThrownBy(audit::requireWritable).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> audit.write(call("exec-2"))).isInstanceOf(IOException.class);
            Files.delete(obstacle);
            audit.requireWritable();
            audit.write(call("exec-3"));
        }
        var ids = new ArrayList<String>();
        for (Path one : AuditTail.rotated(file)) {
            Files.readAllLines(one)
                    .forEach(line -> ids.add(JsonMapper.shared()
                            .readTree(line)
                            .at("/call/execution_id")
                            .asString()));
        }
        Files.readAllLines(file)
                .forEach(line -> ids.add(JsonMapper.shared()
                        .readTree(line)
                        .at("/call/execution_id")
                        .asString()));
        assertThat(ids).containsExactly("exec-0", "exec-1", "exec-2", "exec-3");
        assertThat(AuditVerifier.verify(file).lastSequence()).isEqualTo(4);
    }
}
