package io.hexr.sandbox.sandbox.firecracker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.sandbox.BackendInfo;
import io.hexr.sandbox.sandbox.HostTraces;
import io.hexr.sandbox.sandbox.ProgramRun;
import io.hexr.sandbox.sandbox.Sandbox;
import io.hexr.sandbox.sandbox.SandboxBackend;
import io.hexr.sandbox.sandbox.SandboxBackendContract;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

/**
 * The contract and what is particular to Firecracker, with the real firecracker, jailer, launcher, kernel, agent and image.
 *
 * <p>One backend serves the tests until one closes it: each opening boots a guest, which takes long in the lab.
 */
@Tag("lab")
@Timeout(900)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class) // the test that closes the backend comes last
class FirecrackerBackendTest extends SandboxBackendContract {
    private static final Path STATE = Path.of(String.valueOf(System.getenv("STATE_DIR")));
    private static final Path TEMPLATES = STATE.resolve("templates");

    private static @Nullable SandboxBackend shared;

    @Override
    protected SandboxBackend open() throws SandboxException {
        SandboxBackend open = shared;
        if (open == null) {
            open = FirecrackerBackend.open(FirecrackerParts.settings(STATE));
            shared = open;
        }
        return open;
    }

    @Override
    protected void release(SandboxBackend backend) {
        if (closedByTest()) {
            shared = null;
        }
    }

    @AfterAll
    static void closeShared() {
        if (shared != null) {
            shared.close();
            shared = null;
        }
    }

    @Override
    protected Set<String> traces() throws IOException {
        return HostTraces.of(STATE).all();
    }

    @Override
    protected void crash(Sandbox sandbox) {
        monitor(sandbox).destroyForcibly();
    }

    /** After its jailer became Firecracker. */
    private static ProcessHandle monitor(Sandbox sandbox) {
        return ProcessHandle.allProcesses()
                .filter(process -> commandLine(process.pid()).startsWith("/firecracker --id " + sandbox.id()))
                .findAny()
                .orElseThrow(() -> new AssertionError("no monitor of " + sandbox.id()));
    }

    private static String commandLine(long pid) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"))
                    .replace('\0', ' ');
        } catch (IOException e) {
            return "";
        }
    }

    private static Map<String, String> status(ProcessHandle monitor) throws IOException {
        try (Stream<String> lines = Files.lines(proc(monitor, "status"))) {
            return lines.map(line -> line.split(":\\s+", 2))
                    .filter(halves -> halves.length == 2)
                    .collect(Collectors.toMap(halves -> halves[0], halves -> halves[1]));
        }
    }

    private static Path proc(ProcessHandle monitor, String file) {
        return Path.of("/proc", Long.toString(monitor.pid()), file);
    }

    @Test
    void saysWhatItIs() {
        assertThat(backend().info().name()).isEqualTo("firecracker");
        assertThat(backend().info().isolation()).isEqualTo(BackendInfo.Isolation.HARDWARE);
        assertThat(backend().info().version()).matches("1\\.\\d+\\.\\d+");
    }

    @Test
    void aMonitorRunsAsAUserOfItsOwnWithoutCapabilitiesAndUnderSeccomp() throws Exception {
        try (Sandbox one = resume();
                Sandbox other = resume()) {
            Set<String> users = new HashSet<>();
            for (ProcessHandle monitor : List.of(monitor(one), monitor(other))) {
                Map<String, String> status = status(monitor);
                assertThat(status.get("Uid")).matches("(9001\\d{5})\\t\\1\\t\\1\\t\\1");
                assertThat(status.get("Gid")).isEqualTo(status.get("Uid"));
                assertThat(status)
                        .containsEntry("CapEff", "0000000000000000")
                        .containsEntry("CapPrm", "0000000000000000");
                // The main thread's filter is that of all of them: each thread installs one before the guest runs.
                assertThat(status).containsEntry("Seccomp", "2");
                users.add(status.get("Uid"));
            }
            assertThat(users).hasSize(2);
        }
    }

    @Test
    void aMonitorSeesNothingOfTheHostButItsJail() throws Exception {
        try (Sandbox sandbox = resume()) {
            ProcessHandle monitor = monitor(sandbox);
            for (String namespace : List.of("mnt", "pid", "net", "ipc", "uts")) {
                assertThat(Files.readSymbolicLink(proc(monitor, "ns/" + namespace)))
                        .as(namespace)
                        .isNotEqualTo(Files.readSymbolicLink(Path.of("/proc/self/ns", namespace)));
            }
            assertThat(status(monitor).get("NSpid")).endsWith("\t1");
            try (Stream<Path> root = Files.list(proc(monitor, "root/"))) {
                assertThat(root.map(file -> file.getFileName().toString()))
                        .containsExactlyInAnyOrder(
                                "a",
                                "dev",
                                "firecracker",
                                "firecracker.pid",
                                "memory",
                                "root.erofs",
                                "run",
                                "state",
                                "v.sock");
            }
            assertThat(Files.readAllLines(proc(monitor, "net/dev")))
                    .as("two lines of heading, and lo")
                    .hasSize(3)
                    .last()
                    .asString()
                    .contains("lo:");
        }
    }

    @Test
    void aMonitorCannotWriteWhatItShares() throws Exception {
        try (Sandbox sandbox = resume()) {
            for (String file : List.of("memory", "state", "root.erofs")) {
                Path shared = proc(monitor(sandbox), "root/" + file);
                assertThat(Files.getAttribute(shared, "unix:uid")).as(file).isEqualTo(0);
                assertThat(Files.getAttribute(shared, "unix:mode"))
                        .as(file)
                        .matches(mode -> ((int) mode & 022) == 0, "not for others to write");
                assertThat((int) Files.getAttribute(shared, "unix:nlink"))
                        .as(file)
                        .isGreaterThan(1);
            }
        }
    }

    @Test
    void aMonitorIsBoundedFromOutsideToo() throws Exception {
        try (Sandbox sandbox = resume()) {
            ProcessHandle monitor = monitor(sandbox);
            String cgroup = Files.readString(proc(monitor, "cgroup")).strip();
            assertThat(cgroup).startsWith("0::/").endsWith("/" + sandbox.id());
            Path directory = Path.of("/sys/fs/cgroup", cgroup.substring("0::".length()));
            assertThat(Files.readString(directory.resolve("memory.max")).strip())
                    .isEqualTo(Long.toString((FirecrackerParts.PROGRAM_MEMORY_MB + 256L + 64) << 20));
            assertThat(Files.readString(directory.resolve("memory.swap.max")).strip())
                    .isEqualTo("0");
            assertThat(Files.readString(directory.resolve("cpu.max")).strip()).isEqualTo("100000 100000");
            assertThat(Files.readString(directory.resolve("pids.max")).strip()).isEqualTo("17");
            assertThat(Files.readString(proc(monitor, "limits")))
                    .containsPattern("Max file size +1048576 +1048576")
                    .containsPattern("Max open files +128 +128");
        }
    }

    @Test
    void aTemplateThatIsDeletedWhileItIsUsedLivesAsLongAsItsSandboxes() throws Exception {
        Path template = TEMPLATES.resolve(
                "bash-0-" + backend().prepare(Language.BASH, 0, DEADLINE).key());
        Path away = STATE.resolve("away");
        try (Sandbox sandbox = resume()) {
            Files.move(template, away);
            try {
                var run = new ProgramRun(sandbox);
                run.outcome(HELLO);
                assertThat(run.output()).isEqualTo("hello\n");

                assertThatThrownBy(this::resume)
                        .isInstanceOfSatisfying(
                                SandboxException.class,
                                e -> assertThat(e.code()).isEqualTo(Code.RESUME_FAILED));
            } finally {
                Files.move(away, template);
            }
        }
    }

    @Test
    void aMonitorThatIsStoppedIsKilledAndRemovedLikeAnyOther() throws Exception {
        Set<String> before = traces();
        try (Sandbox sandbox = resume()) {
            assertThat(new ProcessBuilder(
                                    "kill",
                                    "-STOP",
                                    Long.toString(monitor(sandbox).pid()))
                            .start()
                            .waitFor())
                    .isZero();
        }
        assertThat(traces()).isEqualTo(before);
    }

    @Test
    void aMonitorThatIsKilledInBootFailsTheTemplateAndLeavesNothing() throws Exception {
        Set<String> before = traces();
        var killed = CompletableFuture.supplyAsync(() -> killFirstMonitor(before));

        assertThatThrownBy(() -> backend().prepare(Language.BASH, 7, DEADLINE))
                .isInstanceOfSatisfying(
                        SandboxException.class, e -> assertThat(e.code()).isEqualTo(Code.TEMPLATE_FAILED));
        assertThat(killed).succeedsWithin(DEADLINE);
        assertThat(traces()).isEqualTo(before);
    }

    private boolean killFirstMonitor(Set<String> before) {
        try {
            long deadline = System.nanoTime() + DEADLINE.toNanos();
            while (System.nanoTime() < deadline) {
                for (ProcessHandle process : ProcessHandle.allProcesses().toList()) {
                    if (commandLine(process.pid()).startsWith("/firecracker --id ")
                            && before.stream().noneMatch(trace -> trace.startsWith("process " + process.pid() + " "))) {
                        return process.destroyForcibly();
                    }
                }
                Thread.sleep(50);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new AssertionError("no monitor appeared");
    }

    @Test
    void twoEnginesCannotUseOneStateDirectory() {
        assertThatThrownBy(() -> FirecrackerBackend.open(FirecrackerParts.settings(STATE)))
                .hasMessageContaining("in use by another engine");
    }
}
