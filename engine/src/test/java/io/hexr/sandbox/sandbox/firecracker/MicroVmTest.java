package io.hexr.sandbox.sandbox.firecracker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.guest.GuestException;
import io.hexr.sandbox.guest.GuestSession;
import io.hexr.sandbox.host.Deadline;
import io.hexr.sandbox.sandbox.HostTraces;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import io.hexr.sandbox.sandbox.firecracker.FakeMonitor.Fault;
import io.hexr.sandbox.sandbox.firecracker.MicroVm.BootSource;
import io.hexr.sandbox.sandbox.firecracker.MicroVm.Snapshot;
import io.hexr.sandbox.sandbox.process.SandboxProcesses;
import io.hexr.sandbox.sandbox.process.StateDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What can go wrong with a machine, with real launcher, cgroups and sockets and a {@link FakeMonitor}. Nothing may be left in any case. */
@Tag("sandbox")
@Timeout(60)
class MicroVmTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    Path directory;

    private StateDirectory state;
    private SandboxProcesses processes;
    private Path file;

    @BeforeEach
    void openState() throws Exception {
        file = Files.writeString(directory.resolve("file"), "content");
        state = StateDirectory.open(directory.resolve("s"));
        Path run = state.subdirectory("run");
        processes = SandboxProcesses.open(
                FirecrackerParts.path("LAUNCHER_BIN"), state.cgroupName(), run, run.resolve("firecracker"));
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        assertThat(HostTraces.of(directory.resolve("s")).all()).isEmpty();
        processes.close();
        state.close();
    }

    private MicroVm machine(Fault fault) throws Exception {
        var size = new MachineSize(1, 128);
        var jailer = new JailerCommand(
                FakeMonitor.install(directory, fault),
                Path.of("/bin/firecracker"),
                state.subdirectory("run").toRealPath());
        return new MicroVms(processes, new UidRange(900_200_000, 10), jailer, size)
                .create(size.cgroupLimitsOfTemplate());
    }

    private BootSource bootSource() {
        return new BootSource(file, file, file, "quiet");
    }

    private Snapshot snapshot() {
        return new Snapshot(file, file, file);
    }

    private static Deadline later() {
        return Deadline.after(LONG);
    }

    /** Time enough on a busy machine for all that comes before what is waited for in vain. */
    private static Deadline soon() {
        return Deadline.after(Duration.ofSeconds(5));
    }

    @Test
    void aGuestBootsParksAndIsWrittenDown() throws Exception {
        try (MicroVm machine = machine(Fault.NONE)) {
            assertThat(machine.boot(bootSource(), later())).isEqualTo(new FirecrackerVersion(1, 12, 1));

            Snapshot made = machine.snapshot(later());

            assertThat(made.memory()).hasSize(5_000);
            assertThat(made.state()).hasSize(5_000);
        }
    }

    @Test
    void aGuestIsResumedAndHandshaken() throws Exception {
        assertHandshake(Fault.NONE);
    }

    @Test
    void aConnectionThatIsLostAfterTheResumeIsTriedAgain() throws Exception {
        assertHandshake(Fault.LOSES_FIRST_CONNECTION);
    }

    private void assertHandshake(Fault fault) throws Exception {
        try (MicroVm machine = machine(fault)) {
            var session = new GuestSession(machine.resume(snapshot(), later()));

            assertThat(session.handshake(Instant.now(), new byte[64]).random()).hasSize(16);
        }
    }

    @Test
    void aJailerThatFailsIsReportedWithItsWords() throws Exception {
        assertBootFails(Fault.FAILS_TO_START, later(), Code.RESUME_FAILED, "no /dev/kvm here");
    }

    @Test
    void anApiThatNeverListensEndsAtTheDeadline() throws Exception {
        assertBootFails(
                Fault.NEVER_LISTENS,
                Deadline.after(Duration.ofSeconds(1)),
                Code.RESUME_TIMEOUT,
                "does not listen in time");
    }

    @Test
    void aFirecrackerThatIsTooOldIsNotBooted() throws Exception {
        assertBootFails(Fault.IS_TOO_OLD, later(), Code.RESUME_FAILED, "too old");
    }

    @Test
    void aGuestThatPanicsInBootIsNotTakenForOneThatParked() throws Exception {
        assertBootFails(Fault.DIES_IN_BOOT, later(), Code.RESUME_FAILED, "Firecracker did not answer PUT /actions");
    }

    @Test
    void aGuestThatNeverParksEndsAtTheDeadline() throws Exception {
        assertBootFails(Fault.NEVER_PARKS, soon(), Code.RESUME_TIMEOUT, "did not say in time");
    }

    @Test
    void aGuestThatIsNotIdleWhenItSaysSoIsRefused() throws Exception {
        assertBootFails(Fault.TALKS_AFTER_PARKING, later(), Code.RESUME_FAILED, "said more");
    }

    private void assertBootFails(Fault fault, Deadline deadline, Code code, String reason) throws Exception {
        try (MicroVm machine = machine(fault)) {
            assertThatThrownBy(() -> machine.boot(bootSource(), deadline))
                    .isInstanceOfSatisfying(
                            SandboxException.class, e -> assertThat(e.code()).isEqualTo(code))
                    .hasMessageContaining(reason);
        }
    }

    /** The limit on the size of files stands for a disk: a write beyond it fails as well. */
    @Test
    void aSnapshotThatDoesNotFitTheDiskFailsWithTheReason() throws Exception {
        Process mount = new ProcessBuilder(
                        "mount",
                        "-t",
                        "tmpfs",
                        "-o",
                        "size=4m",
                        "tmpfs",
                        Files.createDirectories(state.subdirectory("run").resolve("firecracker"))
                                .toString())
                .inheritIO()
                .start();
        assertThat(mount.waitFor()).isZero();
        try (MicroVm machine = machine(Fault.DISK_IS_FULL)) {
            machine.boot(bootSource(), later());

            assertThatThrownBy(() -> machine.snapshot(later()))
                    .isInstanceOfSatisfying(
                            SandboxException.class, e -> assertThat(e.code()).isEqualTo(Code.RESUME_FAILED))
                    .hasMessageContaining("No space left on device");
        } finally {
            assertThat(new ProcessBuilder(
                                    "umount",
                                    state.subdirectory("run")
                                            .resolve("firecracker")
                                            .toString())
                            .start()
                            .waitFor())
                    .isZero();
        }
    }

    @Test
    void aMonitorThatIsStoppedEndsAtTheDeadlineAndIsKilled() throws Exception {
        assertResumeFails(Fault.STOPS_IN_LOAD, soon(), Code.RESUME_TIMEOUT, "did not answer PUT /snapshot/load");
    }

    @Test
    void aMonitorThatDiesInLoadIsNotWaitedFor() throws Exception {
        assertResumeFails(Fault.DIES_IN_LOAD, later(), Code.RESUME_FAILED, "did not answer PUT /snapshot/load");
    }

    @Test
    void aSnapshotThatDoesNotFitTheHostIsRefusedInFirecrackersWords() throws Exception {
        assertResumeFails(Fault.REFUSES_LOAD, later(), Code.RESUME_FAILED, "snapshot of another processor");
    }

    @Test
    void aGuestThatCannotBeReachedAfterTheResumeEndsAtTheDeadline() throws Exception {
        assertResumeFails(Fault.ACCEPTS_NO_CONNECTION, soon(), Code.RESUME_TIMEOUT, "accepted no connection");
    }

    private void assertResumeFails(Fault fault, Deadline deadline, Code code, String reason) throws Exception {
        try (MicroVm machine = machine(fault)) {
            assertThatThrownBy(() -> machine.resume(snapshot(), deadline))
                    .isInstanceOfSatisfying(
                            SandboxException.class, e -> assertThat(e.code()).isEqualTo(code))
                    .hasMessageContaining(reason);
        }
    }

    @Test
    void aTemplateThatIsGoneFailsTheResumeAndNothingElse() throws Exception {
        try (MicroVm machine = machine(Fault.NONE)) {
            var gone = new Snapshot(directory.resolve("gone"), file, file);

            assertThatThrownBy(() -> machine.resume(gone, later()))
                    .isInstanceOfSatisfying(
                            SandboxException.class, e -> assertThat(e.code()).isEqualTo(Code.RESUME_FAILED))
                    .hasMessageContaining("gone");
        }
    }

    @Test
    void aMachineThatDiesInTheHandshakeFailsIt() throws Exception {
        try (MicroVm machine = machine(Fault.DIES_IN_HANDSHAKE)) {
            var session = new GuestSession(machine.resume(snapshot(), later()));

            assertThatThrownBy(() -> session.handshake(Instant.now(), new byte[64]))
                    .isInstanceOf(GuestException.class);
            assertThat(machine.onExit()).succeedsWithin(LONG);
            machine.kill();
            assertThat(machine.log()).contains("it ended by itself, with status");
        }
    }

    @Test
    void aMachineThatWasKilledDidNotEndByItself() throws Exception {
        try (MicroVm machine = machine(Fault.NONE)) {
            machine.resume(snapshot(), later());
            machine.kill();

            assertThat(machine.log()).doesNotContain("by itself");
        }
    }

    @Test
    void killEndsABootInWhateverStateItIs() throws Exception {
        try (MicroVm machine = machine(Fault.NEVER_PARKS)) {
            var boot = CompletableFuture.runAsync(() -> {
                try {
                    machine.boot(bootSource(), later());
                } catch (SandboxException e) {
                    throw new IllegalStateException(e);
                }
            });
            machine.kill();

            assertThat(boot).failsWithin(LONG);
        }
    }

    @Test
    void aSocketThatIsLeftInTheJailDoesNotMatterBecauseNoJailIsUsedTwice() throws Exception {
        Path stale = Files.createDirectories(state.subdirectory("run").resolve("firecracker/0000000000000000/root"));
        Files.createFile(stale.resolve("a"));
        Files.createFile(stale.resolve("v.sock"));

        assertHandshake(Fault.NONE);
        processes.reap();
    }

    /** What the engine waits for is a process of its own that ends when the last of the machine has, and takes in their statuses. */
    @Test
    void aMachineLeavesNoZombies() throws Exception {
        try (MicroVm machine = machine(Fault.NONE)) {
            machine.resume(snapshot(), later());
            machine.kill();

            assertThat(machine.onExit().get(LONG.toSeconds(), TimeUnit.SECONDS)).isNotNull();
            String id = machine.id();
            assertThat(ProcessHandle.allProcesses()
                            .filter(process ->
                                    process.info().commandLine().orElse("").contains(id)))
                    .isEmpty();
        }
    }
}
