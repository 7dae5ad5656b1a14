package io.hexr.sandbox.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The cgroups of this very host, whichever version it has; needs root. */
@Tag("sandbox")
@Timeout(180)
class HostCgroupTest {
    private static final String HOLD_80_MIB = "head -c 80M /dev/zero | exec tail -c 80M > /dev/null";
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    @TempDir
    Path scratch;

    private Cgroups cgroups;
    private Cgroup cgroup;

    @BeforeEach
    void create() throws IOException {
        cgroups = Cgroups.open("hexr-sandbox-test-" + ProcessHandle.current().pid());
        cgroup = cgroups.create("one", new CgroupLimits(64 << 20, 0.5, 20, 1));
    }

    @AfterEach
    void remove() throws IOException {
        cgroup.kill(TIMEOUT);
        cgroup.delete(TIMEOUT);
        cgroups.removeGroup();
    }

    @Test
    void killEndsEverythingAndDeleteRemovesTheCgroup() throws Exception {
        ChildProcess child = run("for i in $(seq 40); do sleep 1000 & done; wait");
        var backoff = new Backoff(TIMEOUT);
        while (cgroup.usage().taskLimitHits() == 0) {
            assertThat(backoff.pause())
                    .as("there are more processes than allowed")
                    .isTrue();
        }

        cgroup.kill(TIMEOUT);

        assertThat(cgroup.processes()).isEmpty();
        assertThat(child.await(TIMEOUT)).isNotZero();
        cgroup.delete(TIMEOUT);
        assertThat(cgroup.directories())
                .allSatisfy(directory -> assertThat(directory).doesNotExist());
        assertThat(cgroups.existing()).isEmpty();
    }

    @Test
    void aProcessThatUsesTooMuchMemoryIsKilledAndCounted() throws Exception {
        ChildProcess child = run("x=x; while :; do x=$x$x; done");

        assertThat(child.await(TIMEOUT)).isEqualTo(128 + 9);

        assertThat(cgroup.usage().oomKills()).isEqualTo(1);
        assertThat(cgroup.usage().memoryPeakBytes()).isBetween(32L << 20, 64L << 20);
    }

    @Test
    void limitsCanBeRaisedAndLoweredAndHold() throws Exception {
        cgroup.limit(new CgroupLimits(128 << 20, 1, 20, 0.1));
        ChildProcess within = run(HOLD_80_MIB);
        assertThat(within.await(TIMEOUT)).isZero();

        cgroup.limit(new CgroupLimits(48 << 20, 0.5, 20, 1));
        ChildProcess beyond = run(HOLD_80_MIB);
        assertThat(beyond.await(TIMEOUT)).isEqualTo(128 + 9);
        assertThat(cgroup.usage().oomKills()).isEqualTo(1);
    }

    @Test
    void processorTimeIsWhatItsProcessesComputed() throws Exception {
        ChildProcess idle = run("sleep 0.3");
        assertThat(idle.await(TIMEOUT)).isZero();
        var before = cgroup.cpuTime();
        assertThat(before).isBetween(Duration.ofNanos(1), Duration.ofMillis(250));

        ChildProcess busy = run("i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done");
        assertThat(busy.await(TIMEOUT)).isZero();

        assertThat(cgroup.usage().withCpuTimeSince(before).cpuTime()).isGreaterThan(Duration.ofMillis(50));
    }

    @Test
    void whatIsLeftIsFoundByName() throws Exception {
        run("sleep 1000");

        List<Cgroup> found = Cgroups.open(
                        "hexr-sandbox-test-" + ProcessHandle.current().pid())
                .existing();

        assertThat(found).extracting(Cgroup::id).containsExactly("one");
        found.getFirst().kill(TIMEOUT);
        assertThat(cgroup.processes()).isEmpty();
    }

    /** Runs a script in the cgroup and returns once it is in it. */
    private ChildProcess run(String script) throws IOException {
        String join = cgroup.directories().stream()
                .map(directory -> "echo $$ > " + directory.resolve("cgroup.procs") + "; ")
                .collect(Collectors.joining());
        Path joined = scratch.resolve("joined");
        ChildProcess child = ChildProcess.start(
                List.of("/bin/sh", "-c", join + "touch " + joined + "; " + script), scratch.resolve("errors"));
        var backoff = new Backoff(TIMEOUT);
        while (!Files.exists(joined)) {
            assertThat(backoff.pause()).isTrue();
        }
        return child;
    }
}
