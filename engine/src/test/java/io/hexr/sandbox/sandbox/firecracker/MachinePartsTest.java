package io.hexr.sandbox.sandbox.firecracker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.sandbox.HostLimits;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The small pure parts. */
class MachinePartsTest {
    @TempDir
    Path directory;

    @Test
    void theJailerIsTold() {
        var jailer = new JailerCommand(Path.of("/bin/jailer"), Path.of("/s/shared/firecracker"), Path.of("/s/run"));

        assertThat(jailer.command("00ff", 1234, 99))
                .containsExactly(
                        "/bin/jailer",
                        "--id",
                        "00ff",
                        "--exec-file",
                        "/s/shared/firecracker",
                        "--uid",
                        "1234",
                        "--gid",
                        "1234",
                        "--chroot-base-dir",
                        "/s/run",
                        "--new-pid-ns",
                        "--resource-limit",
                        "fsize=99",
                        "--resource-limit",
                        "no-file=128",
                        "--",
                        "--api-sock",
                        "/a",
                        "--level",
                        "Info");
    }

    @Test
    void theKernelIsToldTheLanguageAndMoreLast() {
        assertThat(KernelCommandLine.of(Language.PYTHON, "loglevel=7"))
                .startsWith("console=ttyS0 reboot=k panic=1 ")
                .endsWith(" hexr_language=python loglevel=7")
                .doesNotContain("root=");
        assertThat(KernelCommandLine.of(Language.BASH, "")).endsWith(" hexr_language=bash");
    }

    @Test
    void aMachineHoldsTheLargestProgramAndWhatIsParked() {
        MachineSize size = size(512, 1);

        assertThat(size).isEqualTo(new MachineSize(1, 768));
        var outer = size.cgroupLimits(new HostLimits(16 << 20, 0.5, 64));
        assertThat(outer.memoryBytes()).isGreaterThan(768L << 20);
        assertThat(outer.cpus()).isEqualTo(0.5);
        assertThat(outer.tasks()).isLessThan(64);
    }

    @Test
    void partsOfAProcessorAreAWholeOneInTheMachine() {
        assertThat(size(512, 0.1).vcpus()).isEqualTo(1);
        assertThat(size(512, 1.5).vcpus()).isEqualTo(2);
        assertThat(size(512, 64).vcpus()).isEqualTo(32);
    }

    private static MachineSize size(int memoryMb, double cpus) {
        Path none = Path.of("/");
        return MachineSize.of(new FirecrackerSettings(
                none, none, none, none, none, none, "", 1000, memoryMb, cpus, Duration.ofSeconds(1)));
    }

    @Test
    void everyMachineHasAUserIdOfItsOwnAndTheRangeIsBounded() throws Exception {
        var uids = new UidRange(1000, 3);
        List<Integer> taken = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            taken.add(uids.take());
        }

        assertThat(taken).containsExactlyInAnyOrder(1000, 1001, 1002);
        assertThatThrownBy(uids::take)
                .isInstanceOfSatisfying(
                        SandboxException.class, e -> assertThat(e.code()).isEqualTo(Code.HOST_RESOURCE));
        uids.giveBack(1001);
        assertThat(uids.take()).isEqualTo(1001);
    }

    @Test
    void aUserIdThatWasGivenBackIsUsedLast() throws Exception {
        var uids = new UidRange(1000, 3);
        uids.giveBack(uids.take());

        assertThat(uids.take()).isEqualTo(1001);
        assertThat(uids.take()).isEqualTo(1002);
        assertThat(uids.take()).isEqualTo(1000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.12.0", "1.12.1", "1.15.9", "1.16.1", "1.17.0-dev", "2.0.0"})
    void theseVersionsAreUsable(String version) {
        assertThatCode(() -> FirecrackerVersion.parse(version).requireUsable()).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.11.9", "0.25.2", "1.16.0", "1.12", "v1.12.1", "", "1.12.1x"})
    void theseVersionsAreNot(String version) {
        assertThatThrownBy(() -> FirecrackerVersion.parse(version).requireUsable())
                .isInstanceOf(IOException.class);
    }

    @Test
    void aStateDirectoryInWhichSocketsHaveNoRoomIsRefused() {
        Path longest = Path.of("/" + "x".repeat(58));

        assertThatCode(() -> Jail.requireShort(longest.resolve("run/firecracker")))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> Jail.requireShort(Path.of(longest + "x").resolve("run/firecracker")))
                .hasMessageContaining("1 bytes too long");
    }

    @Test
    void whatAllMayReadIsLinkedWhatNotIsCopied() throws Exception {
        Path open = Files.writeString(directory.resolve("open"), "1");
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
        Path closed = Files.writeString(directory.resolve("closed"), "2");
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rw-------"));

        SharedFiles.place(open, directory.resolve("open-too"));
        SharedFiles.place(closed, directory.resolve("closed-too"));

        assertThat(Files.getAttribute(open, "unix:nlink")).isEqualTo(2);
        assertThat(Files.getAttribute(closed, "unix:nlink")).isEqualTo(1);
        assertThat(directory.resolve("closed-too")).hasContent("2");
        assertThat(Files.getPosixFilePermissions(directory.resolve("closed-too")))
                .isEqualTo(PosixFilePermissions.fromString("r--r--r--"));
    }

    @Test
    void theImageOfAnEarlierEngineGoesAndThisOnesIsKept() throws Exception {
        var shared = new SharedFiles(directory);
        Path image = Files.writeString(directory.resolve("image"), "1");
        Path first = shared.image(image, "aa");

        assertThat(shared.image(image, "aa")).isEqualTo(first).exists();
        Path second = shared.image(image, "bb");

        assertThat(first).doesNotExist();
        assertThat(second).hasContent("1");
    }

    @Test
    void aProgramIsReplacedAndNeverWrittenInto() throws Exception {
        var shared = new SharedFiles(directory);
        Path program = Files.writeString(directory.resolve("program"), "1");
        Path first = shared.program(program, "firecracker");
        Object inode = Files.getAttribute(first, "unix:ino");
        Files.writeString(program, "2");

        Path second = shared.program(program, "firecracker");

        assertThat(second).isEqualTo(first).hasContent("2").isExecutable();
        assertThat(Files.getAttribute(second, "unix:ino")).isNotEqualTo(inode);
    }

    @Test
    void aKernelWithoutAManifestIsRefusedWithWhatToDo() {
        assertThatThrownBy(() -> GuestKernel.read(directory)).hasMessageContaining("GUEST_KERNEL");
    }

    @Test
    void aKernelWithABrokenManifestIsRefused() throws Exception {
        Files.writeString(directory.resolve("manifest.json"), "{\"kernel\": \"6\"}");

        assertThatThrownBy(() -> GuestKernel.read(directory)).hasMessageContaining("is not a manifest");
    }
}
