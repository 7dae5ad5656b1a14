package io.hexr.sandbox.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.EngineProcess;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Counts what calls leave on the host, from the outside, with an engine in a process of its own. */
@Tag("sandbox")
@Timeout(240)
class NothingLeftBehindTest {
    /** So that what is on the host belongs to calls. */
    private static final Map<String, String> NONE_WAITS = Map.of("READY_POOL_MEMORY_MB", "0");

    @Test
    void anEndedCallLeavesNothingWhateverItsEnd() throws Exception {
        try (var engine = EngineProcess.start(NONE_WAITS)) {
            var api = new Api(engine.uri());
            api.exec("python", "print(1)", 20);
            api.exec("bash", "sleep 60 & exit 3", 20);
            api.exec("javascript", "for (;;);", 0.5);
            api.exec(Map.of(
                    "language", "python", "timeout", 20, "memory_mb", 32, "code", "x = bytearray(b'x' * (1 << 30))"));
            assertThat(api.exec("bash", "kill -9 -1", 20).status()).isEqualTo(200);
            api.awaitRunning(0);
            assertThat(HostTraces.of(engine.stateDir()).isEmpty())
                    .as("%s", HostTraces.of(engine.stateDir()))
                    .isTrue();
        }
    }

    @Test
    void theNextStartRemovesWhatAKilledEngineLeftRunningAndWaiting() throws Exception {
        Path stateDir;
        try (var engine = EngineProcess.start()) {
            stateDir = engine.stateDir();
            var api = new Api(engine.uri());
            int waiting = api.awaitFullPool();
            var call = CompletableFuture.runAsync(() -> {
                try {
                    // Deaf and stopped: nothing inside will notice that the engine is gone.
                    api.exec("bash", "trap '' HUP TERM; (while :; do :; done) & kill -STOP $$", 20);
                } catch (Exception e) {
                    // The engine is killed under it.
                }
            });
            api.awaitRunning(1);
            engine.killHard();
            call.get(30, TimeUnit.SECONDS);
            assertThat(HostTraces.of(stateDir).directories()).hasSizeGreaterThanOrEqualTo(waiting);
        }
        try (var next = EngineProcess.start(stateDir, NONE_WAITS)) {
            assertThat(HostTraces.of(stateDir).isEmpty())
                    .as("%s", HostTraces.of(stateDir))
                    .isTrue();
            assertThat(new Api(next.uri()).exec("bash", "echo again", 20).stdout())
                    .isEqualTo("again\n");
        }
    }

    @Test
    void aCleanStopLeavesNothing() throws Exception {
        Path stateDir;
        try (var engine = EngineProcess.start(HeldCall.VARIABLES);
                var call = HeldCall.start(engine.uri())) {
            stateDir = engine.stateDir();
            engine.terminate();
            new Api(engine.uri()).awaitDraining();
            assertThat(call.release().data().path("exit_code").asInt(-1))
                    .as("running calls end first")
                    .isZero();
            assertThat(engine.awaitExit()).isZero();
        }
        var traces = HostTraces.of(stateDir);
        assertThat(traces.isEmpty()).as("%s", traces).isTrue();
    }
}
