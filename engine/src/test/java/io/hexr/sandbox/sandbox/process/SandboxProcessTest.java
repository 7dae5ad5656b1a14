package io.hexr.sandbox.sandbox.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.host.StubbornCgroup;
import io.hexr.sandbox.sandbox.SandboxException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A sandbox whose process does not die; what happens to those that do is in the tests of the backends. */
@Timeout(60)
class SandboxProcessTest {
    private static final Duration KILL_TIMEOUT = Duration.ofMillis(20);
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    private Path scratch;

    private final CountDownLatch forgotten = new CountDownLatch(1);
    private StubbornCgroup stubborn;
    private SandboxProcess process;
    private Path directory;

    @BeforeEach
    void make() throws Exception {
        stubborn = new StubbornCgroup();
        directory = Files.createDirectory(scratch.resolve("stubborn"));
        process = new SandboxProcess(
                directory, stubborn.cgroup(), Path.of("/launcher"), KILL_TIMEOUT, _ -> forgotten.countDown());
    }

    @Test
    void aProcessThatDoesNotDieKeepsTheSandboxUntilItDoes() {
        var closed = close();
        process.kill();
        assertThat(closed).isNotDone();
        assertThat(forgotten.getCount()).as("it is still counted").isEqualTo(1);

        stubborn.unblock();

        assertThat(closed).succeedsWithin(LONG);
        assertThat(forgotten.getCount()).isZero();
        assertThat(directory).doesNotExist();
    }

    @Test
    void anEngineThatStopsDoesNotWaitForIt() {
        var closed = close();
        process.kill();
        assertThat(closed).isNotDone();

        process.abandon();

        assertThat(closed).succeedsWithin(LONG);
        assertThat(forgotten.getCount()).isZero();
    }

    @Test
    void aConnectionThatComesAfterTheKillIsClosed() throws Exception {
        process.kill();
        try (var late = SocketChannel.open()) {
            assertThatThrownBy(() -> process.connected(late)).isInstanceOf(SandboxException.class);
            assertThat(late.isOpen()).isFalse();
        }
        stubborn.unblock();
        process.close();
    }

    /** The kernel's own file systems have no space at all. */
    @Test
    void aFullDiskIsToldWithTheLog() {
        var full = new SandboxProcess(
                Path.of("/proc/self"), stubborn.cgroup(), Path.of("/launcher"), KILL_TIMEOUT, _ -> {});

        assertThat(full.log()).isEqualTo("there is no space left on the disk of /proc/self");
        assertThat(process.log()).isEmpty();
    }

    private CompletableFuture<Void> close() {
        return CompletableFuture.runAsync(process::close, Thread::startVirtualThread);
    }
}
