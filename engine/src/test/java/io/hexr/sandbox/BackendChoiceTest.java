package io.hexr.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.config.EngineConfig;
import io.hexr.sandbox.config.Machine;
import io.hexr.sandbox.sandbox.BackendInfo;
import io.hexr.sandbox.sandbox.BackendInfo.Isolation;
import io.hexr.sandbox.sandbox.HostTraces;
import io.hexr.sandbox.sandbox.SandboxBackend;
import io.hexr.sandbox.sandbox.SandboxException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * With the real Firecracker, jailer and guest kernel. The kernel is told to start a program that is not there, so that no guest parks, on
 * whatever host this runs: where KVM works it panics, where it does not it hangs until the deadline.
 */
@Tag("sandbox")
@Timeout(120)
class BackendChoiceTest {
    private static final Map<String, String> NO_GUEST_BOOTS =
            Map.of("GUEST_KERNEL_ARGS", "rdinit=/none", "KVM_PROBE_TIMEOUT", "4s");

    @TempDir
    Path state;

    private EngineConfig config(Map<String, String> variables) throws Exception {
        var environment = new HashMap<>(System.getenv());
        assertThat(environment).containsKeys("FIRECRACKER_BIN", "JAILER_BIN", "GUEST_KERNEL");
        environment.putAll(Map.of("STATE_DIR", state.toString(), "SANDBOX_BACKEND", "auto"));
        environment.putAll(NO_GUEST_BOOTS);
        environment.putAll(variables);
        return EngineConfig.load(environment, Machine.current());
    }

    private BackendInfo choose(Map<String, String> variables) throws Exception {
        BackendChoice choice = BackendChoice.open(config(variables));
        try (SandboxBackend _ = choice.backend()) {
            return choice.info();
        }
    }

    @Test
    void aKvmUnderWhichNoGuestBootsIsNotTakenAndLeavesNothing() throws Exception {
        BackendInfo info = choose(Map.of());

        assertThat(info)
                .returns("gvisor", BackendInfo::name)
                .returns(Isolation.USER_SPACE_KERNEL, BackendInfo::isolation);
        assertThat(info.reason()).startsWith("no Firecracker: ").contains("booted");
        assertThat(HostTraces.of(state).all()).isEmpty();
    }

    @Test
    void aHostWithoutFirecrackerIsNotTaken() throws Exception {
        BackendInfo info = choose(Map.of("FIRECRACKER_BIN", "/nowhere/firecracker"));

        assertThat(info.name()).isEqualTo("gvisor");
        assertThat(info.reason()).contains("/nowhere/firecracker", "FIRECRACKER_BIN");
    }

    @Test
    void whatWasAskedForIsTakenAndSaidSo() throws Exception {
        BackendInfo info = choose(Map.of("SANDBOX_BACKEND", "gvisor"));

        assertThat(info).returns("gvisor", BackendInfo::name).returns("SANDBOX_BACKEND=gvisor", BackendInfo::reason);
    }

    @Test
    void firecrackerThatWasAskedForIsNotReplaced() throws Exception {
        EngineConfig config = config(Map.of("SANDBOX_BACKEND", "firecracker"));

        assertThatThrownBy(() -> BackendChoice.open(config))
                .isInstanceOf(SandboxException.class)
                .hasMessageContaining("booted");
    }

    @Test
    void anIsolationThatIsRequiredIsNotGivenUp() throws Exception {
        EngineConfig config = config(Map.of("REQUIRE_HARDWARE_ISOLATION", "true"));

        assertThatThrownBy(() -> BackendChoice.open(config))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("REQUIRE_HARDWARE_ISOLATION")
                .hasMessageContaining("booted");
    }
}
