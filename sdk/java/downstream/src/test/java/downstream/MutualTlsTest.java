package downstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.client.AccessDeniedException;
import io.hexr.sandbox.client.SandboxClient;
import io.hexr.sandbox.client.UnreachableException;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The client against a running engine with {@code AUTH_MODE=mtls}, whose SVIDs are in the directory {@code SVIDS}. */
@Tag("mtls")
@Timeout(60)
class MutualTlsTest {
    private static final String ENGINE = "spiffe://example.org/engine";

    private final Path svids =
            Path.of(Objects.requireNonNull(System.getenv("SVIDS"), "SVIDS: see dev.d/test-sdk-java"));

    private SandboxClient.Builder caller() {
        return SandboxClient.builder()
                .caFile(svids.resolve("bundle.pem"))
                .certFile(svids.resolve("client.pem"))
                .keyFile(svids.resolve("client.key"))
                .serverId(ENGINE);
    }

    @Test
    void aCallerWithAnSvidRunsCodeOnAnEngineWithAnSvid() {
        try (var client = caller().build()) {
            assertThat(client.exec("print(6 * 7)").stdout()).isEqualTo("42\n");
        }
    }

    @Test
    void anEngineWithAnotherIdGetsNoCall() {
        try (var client = caller().serverId("spiffe://example.org/other").build()) {
            assertThatThrownBy(() -> client.exec("x"))
                    .isInstanceOf(UnreachableException.class)
                    .hasMessageContaining("the service is [%s], not spiffe://example.org/other".formatted(ENGINE));
        }
    }

    @Test
    void anEngineOfAnotherAuthorityGetsNoCall() {
        try (var client = caller().caFile(svids.resolve("other/bundle.pem")).build()) {
            assertThatThrownBy(() -> client.exec("x")).isInstanceOf(UnreachableException.class);
        }
    }

    @Test
    void aCallerWithoutAnSvidIsToldSoOrCutOff() {
        try (var client = SandboxClient.builder()
                .caFile(svids.resolve("bundle.pem"))
                .serverId(ENGINE)
                .build()) {
            assertThatThrownBy(() -> client.exec("x"))
                    .isInstanceOfAny(AccessDeniedException.class, UnreachableException.class);
        }
    }
}
