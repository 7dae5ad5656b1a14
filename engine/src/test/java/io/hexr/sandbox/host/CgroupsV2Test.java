package io.hexr.sandbox.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class CgroupsV2Test {
    private static final Path GROUP = FakeCgroup2.TOP.resolve("engine-1");
    private static final Path ONE = GROUP.resolve("one");
    private static final CgroupLimits LIMITS = new CgroupLimits(64 << 20, 1.5, 200, 0.1);

    private final FakeCgroup2 kernel = new FakeCgroup2("cpuset cpu io memory pids", true);

    private static Cgroups open(FakeCgroup2 kernel) throws IOException {
        return Cgroups.open(kernel.mountinfo(), "engine-1", kernel);
    }

    @Test
    void aCgroupHasAllLimitsBeforeAnyProcessIsInIt() throws Exception {
        Cgroup cgroup = open(kernel).create("one", LIMITS);

        assertThat(cgroup.directories()).containsExactly(ONE);
        assertThat(kernel.read(ONE.resolve("memory.max")).strip()).isEqualTo("67108864");
        assertThat(kernel.read(ONE.resolve("memory.swap.max")).strip()).isEqualTo("0");
        assertThat(kernel.read(ONE.resolve("cpu.max")).strip()).isEqualTo("150000 100000");
        assertThat(kernel.read(ONE.resolve("pids.max")).strip()).isEqualTo("200");
    }

    @Test
    void onlyLimitsThatChangeAreWritten() throws Exception {
        Cgroup cgroup = open(kernel).create("one", LIMITS);
        kernel.put(ONE.resolve("pids.max"), "not written");

        cgroup.limit(new CgroupLimits(32 << 20, 1.5, 200, 1));

        assertThat(kernel.read(ONE.resolve("pids.max")).strip()).isEqualTo("not written");
        assertThat(kernel.read(ONE.resolve("memory.max")).strip()).isEqualTo("33554432");
        assertThat(kernel.read(ONE.resolve("cpu.weight")).strip()).isEqualTo("100");
    }

    @Test
    void aLimitIsWrittenAgainAfterAWriteThatFailed() throws Exception {
        Cgroup cgroup = open(kernel).create("one", LIMITS);
        Path limit = ONE.resolve("memory.max");
        kernel.setBroken(limit, true);
        assertThatThrownBy(() -> cgroup.limit(new CgroupLimits(32 << 20, 1.5, 200, 0.1)))
                .isInstanceOf(IOException.class);
        kernel.setBroken(limit, false);
        kernel.put(limit, "whatever the failure left");

        cgroup.limit(LIMITS);

        assertThat(kernel.read(limit).strip()).isEqualTo("67108864");
    }

    @Test
    void theHostsRootMayHaveProcessesOfItsOwn() throws Exception {
        kernel.write(FakeCgroup2.TOP.resolve("cgroup.procs"), "1");

        open(kernel).create("one", LIMITS);

        assertThat(kernel.read(FakeCgroup2.TOP.resolve("cgroup.procs")).strip()).isEqualTo("1");
    }

    @Test
    void theProcessesOfAContainersTopAreMovedIntoALeafSoThatControllersCanBeEnabled() throws Exception {
        var container = new FakeCgroup2("cpu memory pids", false);
        container.write(FakeCgroup2.TOP.resolve("cgroup.procs"), "1");
        container.write(FakeCgroup2.TOP.resolve("cgroup.procs"), "7");

        open(container).create("one", LIMITS);

        assertThat(container.read(FakeCgroup2.TOP.resolve("cgroup.procs")).strip())
                .isEmpty();
        assertThat(container.read(FakeCgroup2.TOP.resolve("hexr-sandbox-engine/cgroup.procs")))
                .contains("1", "7");
    }

    @Test
    void withoutTheMemoryControllerItSaysWhatToDo() {
        assertThatThrownBy(() -> open(new FakeCgroup2("cpu pids", true)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("memory")
                .hasMessageContaining("cgroup_enable=memory");
    }

    @Test
    void withoutTheCpuControllerTheRestIsLimited() throws Exception {
        open(new FakeCgroup2("memory pids", true)).create("one", LIMITS);
    }

    @Test
    void countersAreRead() throws Exception {
        Cgroup cgroup = open(kernel).create("one", LIMITS);
        kernel.put(ONE.resolve("memory.current"), "1000");
        kernel.put(ONE.resolve("memory.peak"), "3000");
        kernel.put(ONE.resolve("memory.events"), "low 0\nhigh 0\nmax 7\noom 3\noom_kill 2");
        kernel.put(ONE.resolve("pids.events"), "max 5");
        kernel.put(ONE.resolve("cpu.stat"), "usage_usec 1500000\nuser_usec 1000000\nsystem_usec 500000");

        assertThat(cgroup.usage()).isEqualTo(new CgroupUsage(1000, 3000, 2, 5, Duration.ofMillis(1_500)));
    }

    @Test
    void killEmptiesTheCgroupAndDeleteRemovesIt() throws Exception {
        Cgroups cgroups = open(kernel);
        Cgroup cgroup = cgroups.create("one", LIMITS);
        kernel.write(ONE.resolve("cgroup.procs"), "4711");

        assertThatThrownBy(() -> cgroup.delete(Duration.ofMillis(5)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("busy");
        cgroup.kill(Duration.ofSeconds(20));
        cgroup.delete(Duration.ofSeconds(20));
        cgroup.delete(Duration.ofSeconds(20));

        assertThat(cgroups.existing()).isEmpty();
        cgroups.removeGroup();
        assertThat(kernel.exists(GROUP)).isFalse();
    }

    @Test
    void whatAnotherEngineOfTheSameNameLeftIsFound() throws Exception {
        open(kernel).create("left", LIMITS);

        assertThat(open(kernel).existing()).extracting(Cgroup::id).containsExactly("left");
    }

    @Test
    void aNameCannotBeUsedTwice() throws Exception {
        Cgroups cgroups = open(kernel);
        cgroups.create("one", LIMITS);

        assertThatThrownBy(() -> cgroups.create("one", LIMITS)).isInstanceOf(IOException.class);

        assertThat(cgroups.existing()).hasSize(1);
    }
}
