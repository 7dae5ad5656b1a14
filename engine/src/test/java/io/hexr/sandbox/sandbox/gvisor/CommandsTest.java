package io.hexr.sandbox.sandbox.gvisor;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.guest.Language;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class CommandsTest {
    private final RunscCommand runsc =
            new RunscCommand(Path.of("/bin/runsc"), Path.of("/state/run/id"), Path.of("/state/run/id/runsc.log"));

    @Test
    void runscRestoresWithTheFlagsOfTheCheckpoint() {
        List<String> restore = runsc.restore("id", Path.of("/t"), Path.of("/t/checkpoint"));

        assertThat(restore)
                .startsWith("/bin/runsc", "--root=/state/run/id", "--log=/state/run/id/runsc.log")
                .containsSequence(RunscCommand.FLAGS)
                .endsWith("restore", "-bundle", "/t", "-image-path", "/t/checkpoint", "id");
        assertThat(runsc.run("id", Path.of("/t")))
                .containsSequence(RunscCommand.FLAGS)
                .endsWith("run", "-bundle", "/t", "id");
        assertThat(runsc.checkpoint("id", Path.of("/t/checkpoint")))
                .endsWith("checkpoint", "-image-path", "/t/checkpoint", "-compression", "none", "id");
    }

    @Test
    void theSandboxHasNoNetworkAndNoWayToHostFiles() {
        assertThat(RunscCommand.FLAGS)
                .contains(
                        "--network=none", "--host-uds=none", "--host-fifo=none", "--directfs=false", "--overlay2=none");
    }

    @Test
    void theContainerRunsTheAgentOnTheReadOnlyImage() {
        JsonNode spec = JsonMapper.shared().readTree(ContainerSpec.json(Language.PYTHON, Path.of("/i/a \"b\".erofs")));

        assertThat(spec.at("/process/args").values())
                .extracting(JsonNode::stringValue)
                .containsExactly("/sbin/agent", "--language", "python");
        assertThat(spec.at("/process/noNewPrivileges").booleanValue()).isTrue();
        assertThat(spec.at("/process/env").size()).isEqualTo(1);
        assertThat(spec.at("/root/readonly").booleanValue()).isTrue();
        assertThat(spec.at("/annotations/dev.gvisor.spec.rootfs.source").stringValue())
                .isEqualTo("/i/a \"b\".erofs");
        assertThat(spec.at("/annotations/dev.gvisor.spec.rootfs.type").stringValue())
                .isEqualTo("erofs");
        assertThat(spec.at("/linux/namespaces").values())
                .extracting(namespace -> namespace.get("type").stringValue())
                .containsExactlyInAnyOrder("pid", "network", "ipc", "uts", "mount");
        assertThat(spec.at("/process/capabilities/effective").values())
                .extracting(JsonNode::stringValue)
                .doesNotContain("CAP_NET_RAW", "CAP_NET_ADMIN", "CAP_SYS_PTRACE", "CAP_MKNOD");
    }
}
