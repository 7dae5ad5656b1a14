package io.hexr.sandbox.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MountTest {
    @Test
    void linesOfMountinfoAreUnderstood() {
        List<Mount> mounts = Mount.parse(List.of(
                "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755",
                "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 master:2 - cgroup cgroup rw,cpu,cpuacct",
                "99 31 0:50 /a /mnt/with\\040blank rw - ext4 /dev/sda rw",
                "garbage"));

        assertThat(mounts)
                .containsExactly(
                        new Mount(Path.of("/sys/fs/cgroup"), "tmpfs", Set.of("rw", "mode=755")),
                        new Mount(Path.of("/sys/fs/cgroup/cpu,cpuacct"), "cgroup", Set.of("rw", "cpu", "cpuacct")),
                        new Mount(Path.of("/mnt/with blank"), "ext4", Set.of("rw")));
    }
}
