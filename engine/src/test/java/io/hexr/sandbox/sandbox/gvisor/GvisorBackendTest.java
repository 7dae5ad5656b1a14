package io.hexr.sandbox.sandbox.gvisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.guest.GuestException;
import io.hexr.sandbox.guest.GuestOutcome;
import io.hexr.sandbox.guest.GuestOutcome.Exited;
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
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract and what is particular to gVisor, with the real runsc, launcher, agent and image. */
@Tag("sandbox")
class GvisorBackendTest extends SandboxBackendContract {
    /** One for all tests, so that the template is made once and found again. */
    @TempDir
    static Path state;

    @TempDir
    Path scratch;

    @Override
    protected SandboxBackend open() throws SandboxException {
        return GvisorBackend.open(GvisorParts.settings(state));
    }

    @Override
    protected Set<String> traces() throws IOException {
        return traces(state);
    }

    private static Set<String> traces(Path stateDir) throws IOException {
        return HostTraces.of(stateDir).all();
    }

    @Override
    protected void crash(Sandbox sandbox) {
        processesOf(sandbox).forEach(ProcessHandle::destroyForcibly);
    }

    @Test
    void saysWhatItIs() {
        assertThat(backend().info().name()).isEqualTo("gvisor");
        assertThat(backend().info().isolation()).isEqualTo(BackendInfo.Isolation.USER_SPACE_KERNEL);
        assertThat(backend().info().version()).isNotBlank();
    }

    @Test
    void parkedInterpretersRunTheirLanguage() throws Exception {
        assertThat(output(Language.PYTHON, "import pandas\nprint(pandas.Series([1, 2]).sum())"))
                .isEqualTo("3\n");
        assertThat(output(Language.JAVASCRIPT, "console.log([1, 2].at(-1))")).isEqualTo("2\n");
    }

    private String output(Language language, String script) throws Exception {
        try (Sandbox sandbox = resume(language)) {
            var run = new ProgramRun(sandbox);
            run.outcome(language, script);
            return run.output();
        }
    }

    private Sandbox resume(Language language) throws SandboxException {
        return backend().resume(backend().prepare(language, 0, DEADLINE), LIMITS, DEADLINE);
    }

    @Test
    void aProgramGetsTheMemoryItAskedForAndItsUseIsReported() throws Exception {
        try (Sandbox sandbox = resume(Language.PYTHON)) {
            var run = new ProgramRun(sandbox);

            GuestOutcome outcome = run.outcome(Language.PYTHON, "print(len(bytearray(b'x' * (50 << 20))) >> 20)");

            sandbox.kill();
            assertThat(run.output()).isEqualTo("50\n");
            assertThat(outcome).isInstanceOf(Exited.class);
            assertThat(sandbox.usage().oomKilled()).isFalse();
            assertThat(sandbox.usage().peakMemoryBytes()).isBetween(100L << 20, LIMITS.memoryBytes());
        }
    }

    @Test
    void aProgramGetsNoMoreMemoryThanItAskedFor() throws Exception {
        try (Sandbox sandbox = resume(Language.PYTHON)) {
            var run = new ProgramRun(sandbox);

            run.outcome(Language.PYTHON, "print('start', flush=True)\nx = b'x' * (140 << 20)\nprint('more')");

            sandbox.kill();
            assertThat(run.output()).isEqualTo("start\n");
            assertThat(sandbox.usage().oomKilled()).isTrue();
        }
    }

    /**
     * runsc has children, and whoever kills all of them leaves those that outlive it by a moment to process 1: in a container that is the engine,
     * which takes in the statuses of its own children only. One zombie for each call would fill its process table.
     */
    @Test
    void whatRunscLeavesFallsToTheLauncher() throws Exception {
        try (Sandbox sandbox = resume(Language.BASH)) {
            assertThat(processesOf(sandbox)
                            .filter(process -> process.parent().equals(Optional.of(ProcessHandle.current())))
                            .map(process -> process.info().command().orElse("")))
                    .singleElement()
                    .asString()
                    .endsWith("/sandbox-launch");
        }
    }

    private static Stream<ProcessHandle> processesOf(Sandbox sandbox) {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info()
                        .arguments()
                        .map(List::of)
                        .orElse(List.of())
                        .contains(sandbox.id()));
    }

    /** More than the engine's own process may have where this host gives it less. */
    @Test
    void aProgramMayOpenAsManyFilesAsTheLargestLegalLimit() throws Exception {
        try (Sandbox sandbox = resume(Language.BASH)) {
            var run = new ProgramRun(sandbox);

            run.outcome(Language.BASH, "ulimit -Hn; exec 9999< /dev/null && echo open", LIMITS.memoryBytes(), 65_536);

            assertThat(run.output()).isEqualTo("65536\nopen\n");
        }
    }

    @Test
    void aCorruptTemplateIsMadeAnew() throws Exception {
        String key = backend().prepare(Language.BASH, 0, DEADLINE).key();
        backend().close();
        Path pages = state.resolve("templates/bash-0-" + key + "/checkpoint/pages.img");
        byte[] bytes = Files.readAllBytes(pages);
        bytes[bytes.length / 2] ^= 1;
        Files.write(pages, bytes);

        try (SandboxBackend next = open()) {
            var template = next.prepare(Language.BASH, 0, DEADLINE);
            assertThat(Files.readAllBytes(pages)).isNotEqualTo(bytes);
            try (Sandbox sandbox = next.resume(template, LIMITS, DEADLINE)) {
                var run = new ProgramRun(sandbox);
                run.outcome(HELLO);
                assertThat(run.output()).isEqualTo("hello\n");
            }
        }
    }

    @Test
    void aTemplateIsFoundAgainByTheNextEngine() throws Exception {
        String key = backend().prepare(Language.BASH, 0, DEADLINE).key();
        Path sums = state.resolve("templates/bash-0-" + key + "/HASHES");
        var made = Files.getLastModifiedTime(sums);
        backend().close();

        try (SandboxBackend next = open()) {
            next.prepare(Language.BASH, 0, DEADLINE);
            assertThat(Files.getLastModifiedTime(sums)).isEqualTo(made);
        }
    }

    @Test
    void twoEnginesCannotUseOneStateDirectory() {
        assertThatThrownBy(this::open)
                .isInstanceOfSatisfying(
                        SandboxException.class, e -> assertThat(e.code()).isEqualTo(Code.BACKEND_UNUSABLE))
                .hasMessageContaining("in use by another engine");
    }

    @Test
    void reapRemovesWhatAKilledEngineLeft() throws Exception {
        Path abandoned = Files.createDirectory(scratch.resolve("a"));
        Path alive = scratch.resolve("alive");
        Process engine = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        AbandonedEngine.class.getName(),
                        abandoned.toString(),
                        alive.toString())
                .redirectErrorStream(true)
                .redirectOutput(scratch.resolve("log").toFile())
                .start();
        await(() -> Files.exists(alive) || !engine.isAlive());
        assertThat(alive).as(Files.readString(scratch.resolve("log"))).exists();
        Files.createDirectory(abandoned.resolve("templates/.making-x"));

        engine.destroyForcibly();
        assertThat(engine.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(traces(abandoned)).anyMatch(trace -> trace.startsWith("cgroup"));

        try (SandboxBackend next = GvisorBackend.open(GvisorParts.settings(abandoned))) {
            next.reap();
            assertThat(traces(abandoned)).isEmpty();
            assertThat(abandoned.resolve("templates/.making-x")).doesNotExist();
        }
    }

    @Test
    void aMissingProgramIsSaidAtOnce() {
        GvisorSettings parts = GvisorParts.settings(scratch);
        var settings = new GvisorSettings(Path.of("/nowhere/runsc"), parts.launcher(), parts.guestImage(), scratch);

        assertThatThrownBy(() -> GvisorBackend.open(settings))
                .isInstanceOfSatisfying(
                        SandboxException.class, e -> assertThat(e.code()).isEqualTo(Code.BACKEND_UNUSABLE))
                .hasMessageContaining("/nowhere/runsc");
    }

    @Test
    void aMissingImageIsSaidAtOnce() {
        GvisorSettings parts = GvisorParts.settings(scratch);
        var settings = new GvisorSettings(parts.runsc(), parts.launcher(), Path.of("/nowhere"), scratch);

        assertThatThrownBy(() -> GvisorBackend.open(settings))
                .isInstanceOfSatisfying(
                        SandboxException.class, e -> assertThat(e.code()).isEqualTo(Code.BACKEND_UNUSABLE))
                .hasMessageContaining("/nowhere");
    }

    @Test
    void aRunscThatFailsIsReportedWithItsLogAndLeavesNothing() throws Exception {
        var parts = new BreakableParts(scratch);
        parts.breakRunsc("echo broken spec >&2; exit 3");

        assertPrepareFails(parts, DEADLINE, "broken spec");
    }

    @Test
    void aRunscThatHangsIsEndedAtTheDeadlineAndLeavesNothing() throws Exception {
        var parts = new BreakableParts(scratch);
        parts.breakRunsc("exec sleep 1000");

        assertPrepareFails(parts, Duration.ofSeconds(10), "parking: the guest is gone");
    }

    private void assertPrepareFails(BreakableParts parts, Duration timeout, String reason) throws Exception {
        try (SandboxBackend broken = GvisorBackend.open(parts.settings())) {
            assertThatThrownBy(() -> broken.prepare(Language.BASH, 0, timeout))
                    .isInstanceOfSatisfying(
                            SandboxException.class, e -> assertThat(e.code()).isEqualTo(Code.TEMPLATE_FAILED))
                    .hasMessageContaining(reason);

            assertThat(traces(parts.settings().stateDir())).isEmpty();
            try (Stream<Path> templates = Files.list(parts.settings().stateDir().resolve("templates"))) {
                assertThat(templates).isEmpty();
            }
        }
    }

    @Test
    void aLauncherThatFailsIsReportedWithItsLogAndLeavesNothing() throws Exception {
        var parts = new BreakableParts(scratch);
        try (SandboxBackend breaking = GvisorBackend.open(parts.settings())) {
            var template = breaking.prepare(Language.BASH, 0, DEADLINE);
            parts.breakLauncher("echo no such cgroup >&2; exit 102");

            assertThatThrownBy(() -> breaking.resume(template, LIMITS, DEADLINE))
                    .isInstanceOfSatisfying(
                            SandboxException.class, e -> assertThat(e.code()).isEqualTo(Code.RESUME_FAILED))
                    .hasMessageContaining("no such cgroup");
            assertThat(traces(parts.settings().stateDir())).isEmpty();
        }
    }

    @Test
    void aLauncherThatNeverConnectsIsEndedAtTheDeadlineAndLeavesNothing() throws Exception {
        var parts = new BreakableParts(scratch);
        try (SandboxBackend breaking = GvisorBackend.open(parts.settings())) {
            var template = breaking.prepare(Language.BASH, 0, DEADLINE);
            parts.breakLauncher("exec sleep 1000");

            assertThatThrownBy(() -> breaking.resume(template, LIMITS, Duration.ofMillis(500)))
                    .isInstanceOfSatisfying(
                            SandboxException.class, e -> assertThat(e.code()).isEqualTo(Code.RESUME_TIMEOUT));
            assertThat(traces(parts.settings().stateDir())).isEmpty();
        }
    }

    @Test
    void aRestoreThatCrashesFailsTheHandshakeAndItsLogSaysWhy() throws Exception {
        var parts = new BreakableParts(scratch);
        try (SandboxBackend breaking = GvisorBackend.open(parts.settings())) {
            var template = breaking.prepare(Language.BASH, 0, DEADLINE);
            parts.breakRunsc("echo panic: bad checkpoint >&2; exit 2");

            try (Sandbox sandbox = breaking.resume(template, LIMITS, DEADLINE)) {
                assertThatThrownBy(() -> new ProgramRun(sandbox)).isInstanceOf(GuestException.class);
                assertThat(sandbox.log()).contains("panic: bad checkpoint");
            }
            assertThat(traces(parts.settings().stateDir())).isEmpty();
        }
    }

    private interface Condition {
        boolean holds();
    }

    private static void await(Condition condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.holds() && System.nanoTime() - deadline < 0) {
            Thread.sleep(20);
        }
    }
}
