package io.hexr.sandbox.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.EngineProcess;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Start and stop of an engine as an operator sees them. What a stop leaves is counted in {@link NothingLeftBehindTest}. */
@Tag("sandbox")
@Timeout(240)
class LifecycleTest {
    @Test
    void aSecondStartIsReadyWithinFiveSeconds() throws Exception {
        EngineProcess.start().close(); // makes the templates if need be
        long start = System.nanoTime();
        try (var engine = EngineProcess.start()) {
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
            assertThat(new Api(engine.uri()).get("/health").status()).isEqualTo(200);
        }
    }

    @Test
    void whileItDrainsItSaysSoAndRefusesNewCalls() throws Exception {
        try (var engine = EngineProcess.start()) {
            var api = new Api(engine.uri());
            var call = CompletableFuture.supplyAsync(() -> {
                try {
                    return api.exec("bash", "sleep 3; echo finished", 10).stdout();
                } catch (Exception e) {
                    return "lost: " + e;
                }
            });
            api.awaitRunning(1);
            engine.terminate();
            Api.Answer health = api.get("/health");
            while (health.status() == 200) { // until the signal has arrived
                health = api.get("/health");
            }
            assertThat(health.status()).isEqualTo(503);
            assertThat(health.body().path("status").asString()).isEqualTo("draining");
            var refused = api.exec("bash", "echo late", 5);
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.body().path("code").asString()).isEqualTo("draining");
            assertThat(refused.raw().headers().firstValue("Retry-After")).isPresent();
            assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo("finished\n");
            assertThat(engine.awaitExit()).isZero();
        }
    }

    @Test
    void aSecondEngineOnTheSameStateDirectoryIsRefused() throws Exception {
        try (var engine = EngineProcess.start()) {
            assertThat(EngineProcess.failToStart(engine.stateDir())).contains("is in use by another engine");
        }
    }
}
