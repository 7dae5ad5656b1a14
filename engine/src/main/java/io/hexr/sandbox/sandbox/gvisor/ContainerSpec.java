package io.hexr.sandbox.sandbox.gvisor;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.sandbox.process.SandboxProcesses;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/**
 * The OCI configuration of a sandbox: the agent as the first process, on the read-only guest image.
 *
 * <p>The agent is root of the sandbox, not of the host: its capabilities are those of gVisor's own kernel. It needs them to mount the program's
 * file systems and {@code /proc} (SYS_ADMIN), to own files and become the program's user (CHOWN, FOWNER, DAC_OVERRIDE, SETUID, SETGID), to set
 * and raise limits (SYS_RESOURCE), to drop capabilities (SETPCAP) and to kill (KILL). A program gets none of them.
 *
 * <p>The small tmpfs mounts serve the parked interpreter; the agent mounts those of the run over them. There are no cgroups here: the sandbox's
 * cgroup is made by the engine, see {@link SandboxProcesses}.
 */
final class ContainerSpec {
    private static final List<String> CAPABILITIES = List.of(
            "CAP_SYS_ADMIN",
            "CAP_SYS_RESOURCE",
            "CAP_SETUID",
            "CAP_SETGID",
            "CAP_SETPCAP",
            "CAP_KILL",
            "CAP_CHOWN",
            "CAP_FOWNER",
            "CAP_DAC_OVERRIDE");

    /** The largest legal {@code MAX_OPEN_FILES}. By default gVisor gives its guests the hard limit of the engine's own process. */
    private static final int MAX_OPEN_FILES = 65_536;

    private ContainerSpec() {}

    static String json(Language language, Path rootImage) {
        String capabilities =
                CAPABILITIES.stream().map(ContainerSpec::quote).collect(Collectors.joining(", ", "[", "]"));
        return """
        {
          "ociVersion": "1.2.1",
          "process": {
            "terminal": false,
            "user": {"uid": 0, "gid": 0},
            "args": ["/sbin/agent", "--language", %1$s],
            "env": ["PATH=/usr/local/bin:/usr/bin:/bin"],
            "cwd": "/",
            "capabilities": {"bounding": %2$s, "effective": %2$s, "permitted": %2$s},
            "rlimits": [{"type": "RLIMIT_NOFILE", "soft": %4$d, "hard": %4$d}],
            "noNewPrivileges": true
          },
          "root": {"path": "rootfs", "readonly": true},
          "hostname": "sandbox",
          "mounts": [
            {"destination": "/workspace", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev", "size=1m"]},
            {"destination": "/tmp", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev", "mode=1777", "size=1m"]},
            {"destination": "/dev/shm", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev", "mode=1777", "size=1m"]}
          ],
          "annotations": {
            "dev.gvisor.spec.rootfs.source": %3$s,
            "dev.gvisor.spec.rootfs.type": "erofs"
          },
          "linux": {
            "namespaces": [
              {"type": "pid"}, {"type": "network"}, {"type": "ipc"}, {"type": "uts"}, {"type": "mount"}
            ]
          }
        }
        """.formatted(quote(language.id()), capabilities, quote(rootImage.toString()), MAX_OPEN_FILES);
    }

    private static String quote(String text) {
        return JsonMapper.shared().writeValueAsString(text);
    }
}
