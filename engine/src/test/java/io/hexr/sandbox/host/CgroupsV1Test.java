package io.hexr.sandbox.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which hierarchies are found and used. Directories stand in for them; a new one is filled as the kernel would. */
class CgroupsV1Test {
    private static final CgroupLimits LIMITS = new CgroupLimits(64 << 20, 0.5, 200, 0.1);

    @TempDir
    Path host;

    private final List<String> mountinfo = new ArrayList<>();

    @Test
    void everyControllerIsLimitedInItsHierarchy() throws Exception {
        Path memory = mount("memory");
        Path pids = mount("pids");
        Path cpu = mount("cpu,cpuacct");
        var unified = "41 31 0:38 / " + host + "/unified rw - cgroup2 cgroup2 rw";
        mountinfo.add(unified);

        Cgroup cgroup = open().create("one", LIMITS);

        assertThat(cgroup.directories())
                .containsExactlyInAnyOrder(
                        memory.resolve("engine-1/one"), pids.resolve("engine-1/one"), cpu.resolve("engine-1/one"));
        assertThat(memory.resolve("engine-1/one/memory.limit_in_bytes")).hasContent("67108864");
        assertThat(memory.resolve("engine-1/one/memory.memsw.limit_in_bytes")).hasContent("67108864");
        assertThat(pids.resolve("engine-1/one/pids.max")).hasContent("200");
        assertThat(cpu.resolve("engine-1/one/cpu.cfs_quota_us")).hasContent("50000");
        assertThat(cpu.resolve("engine-1/one/cpu.cfs_period_us")).hasContent("100000");
        assertThat(cpu.resolve("engine-1/one/cpu.shares")).hasContent("102");
    }

    @Test
    void memoryAloneIsNeverAboveMemoryAndSwapWhileTheyAreChanged() throws Exception {
        Path one = mount("cpu,memory,pids").resolve("engine-1/one");
        Cgroup cgroup = open().create("one", LIMITS);

        for (long mib : new long[] {256, 16}) {
            cgroup.limit(new CgroupLimits(mib << 20, 0.5, 200, 1));

            assertThat(one.resolve("memory.limit_in_bytes")).hasContent(Long.toString(mib << 20));
            assertThat(one.resolve("memory.memsw.limit_in_bytes")).hasContent(Long.toString(mib << 20));
        }
    }

    @Test
    void controllersThatShareAHierarchyShareADirectory() throws Exception {
        Path all = mount("cpu,memory,pids");

        Cgroup cgroup = open().create("one", LIMITS);

        assertThat(cgroup.directories()).containsExactly(all.resolve("engine-1/one"));
    }

    @Test
    void countersAreRead() throws Exception {
        Path all = mount("cpu,cpuacct,memory,pids");
        Cgroup cgroup = open().create("one", LIMITS);
        Path one = all.resolve("engine-1/one");
        Files.writeString(one.resolve("memory.usage_in_bytes"), "1000\n");
        Files.writeString(one.resolve("memory.max_usage_in_bytes"), "3000\n");
        Files.writeString(one.resolve("memory.oom_control"), "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
        Files.writeString(one.resolve("pids.events"), "max 5\n");
        Files.writeString(one.resolve("cpuacct.usage"), "1500000000\n");

        assertThat(cgroup.usage()).isEqualTo(new CgroupUsage(1000, 3000, 2, 5, Duration.ofMillis(1_500)));
    }

    @Test
    void withoutTheCpuacctControllerProcessorTimeIsNotKnown() throws Exception {
        mount("cpu,memory,pids");
        assertThat(open().create("one", LIMITS).cpuTime()).isNull();
    }

    @Test
    void withoutThePidsControllerItSaysWhatToDo() throws Exception {
        mount("memory");

        assertThatThrownBy(this::open).isInstanceOf(IOException.class).hasMessageContaining("pids");
    }

    @Test
    void withoutAnyCgroupsItSaysWhatToDo() {
        assertThatThrownBy(this::open).isInstanceOf(IOException.class).hasMessageContaining("mount cgroup2");
    }

    private Path mount(String controllers) throws IOException {
        Path point = Files.createDirectory(host.resolve(controllers));
        mountinfo.add("32 31 0:29 / %s rw - cgroup cgroup rw,%s".formatted(point, controllers));
        return point;
    }

    private Cgroups open() throws IOException {
        return Cgroups.open(mountinfo, "engine-1", new FillingFiles());
    }

    /** Fills a new directory with the files the kernel would make, whatever the controller, and refuses what the kernel would refuse. */
    private static final class FillingFiles implements CgroupFiles {
        private static final String MEMORY = "memory.limit_in_bytes";
        private static final String MEMORY_AND_SWAP = "memory.memsw.limit_in_bytes";

        private final CgroupFiles files = new KernelCgroupFiles();

        @Override
        public void makeDirectory(Path directory) throws IOException {
            files.makeDirectory(directory);
            for (String file : List.of("pids.max", "cpu.cfs_quota_us", "cpu.cfs_period_us", "cpu.shares")) {
                Files.createFile(directory.resolve(file));
            }
            for (String file : List.of(MEMORY, MEMORY_AND_SWAP)) {
                Files.writeString(directory.resolve(file), Long.toString(Long.MAX_VALUE));
            }
        }

        @Override
        public String read(Path file) throws IOException {
            return files.read(file);
        }

        @Override
        public void write(Path file, String value) throws IOException {
            long limit = Long.parseLong(value);
            boolean aboveSwap = file.endsWith(MEMORY) && limit > limit(file.resolveSibling(MEMORY_AND_SWAP));
            boolean belowMemory = file.endsWith(MEMORY_AND_SWAP) && limit < limit(file.resolveSibling(MEMORY));
            if (aboveSwap || belowMemory) {
                throw new IOException("Invalid argument: " + file);
            }
            Files.writeString(file, value);
        }

        private long limit(Path file) throws IOException {
            return Long.parseLong(files.read(file));
        }

        @Override
        public boolean exists(Path path) {
            return files.exists(path);
        }

        @Override
        public void removeDirectory(Path directory) throws IOException {
            files.removeDirectory(directory);
        }

        @Override
        public List<String> directories(Path directory) throws IOException {
            return files.directories(directory);
        }
    }
}
