package io.hexr.sandbox.sandbox.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class LaunchCommandTest {
    @Test
    void theLauncherJoinsEveryCgroupAndHidesMounts() {
        var launch = new LaunchCommand(
                Path.of("/bin/launch"), List.of(Path.of("/cg/memory/x"), Path.of("/cg/pids/x")), Path.of("/r/err"));

        assertThat(launch.supervisedOn(Path.of("/r/s"), List.of("runsc", "run")))
                .containsExactly(
                        "/bin/launch",
                        "--stderr",
                        "/r/err",
                        "--cgroup",
                        "/cg/memory/x",
                        "--cgroup",
                        "/cg/pids/x",
                        "--supervise",
                        "--socket",
                        "/r/s",
                        "--private-mounts",
                        "--",
                        "runsc",
                        "run");
        assertThat(launch.program(List.of("runsc")))
                .doesNotContain("--socket")
                .endsWith("--private-mounts", "--", "runsc");
    }
}
