package io.hexr.sandbox.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.identity.SvidSource;
import io.hexr.sandbox.identity.workload.WorkloadApiSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the Workload API says of the engine itself, with a real SPIRE. */
@Tag("spire")
@Timeout(300)
class SpireEntryTest {
    private static final int ENGINE_UID = 0;

    @Test
    void theEngineHasAnIdentityExactlyAsLongAsItHasAnEntry() throws Exception {
        try (var chain = new SpireChain()) {
            assertThatThrownBy(() -> WorkloadApiSource.open(chain.agentSocket(), Duration.ofSeconds(6)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("PermissionDenied");

            String entry = chain.entry("sandbox-engine", ENGINE_UID, Duration.ofHours(1));
            try (var source = WorkloadApiSource.open(chain.agentSocket(), Duration.ofSeconds(30))) {
                assertThat(source.current().orElseThrow().svid().leaf().getSubjectAlternativeNames())
                        .anySatisfy(name -> assertThat(name.get(1)).isEqualTo("spiffe://example.org/sandbox-engine"));
                chain.delete(entry);
                await(source, false);

                chain.entry("sandbox-engine", ENGINE_UID, Duration.ofHours(1));
                await(source, true);
            }
        }
    }

    @Test
    void aSocketThatNobodyListensOnIsSaidPlainly() {
        assertThatThrownBy(() -> WorkloadApiSource.open(Path.of("/nowhere/agent.sock"), Duration.ofSeconds(1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("/nowhere/agent.sock");
    }

    private static void await(SvidSource source, boolean present) throws InterruptedException {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (source.current().isPresent() != present) {
            assertThat(System.nanoTime()).as("identity present: " + present).isLessThan(deadline);
            Thread.sleep(100);
        }
    }
}
