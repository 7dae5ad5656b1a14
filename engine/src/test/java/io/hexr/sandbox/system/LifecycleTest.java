package io.hexr.sandbox.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.EngineProcess;
import io.hexr.sandbox.guest.Language;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Start and stop of an engine as an operator sees them. What a stop leaves is counted in {@link NothingLeftBehindTest}. */
@Tag("sandbox")
@Timeout(240)
class LifecycleTest {
    @Test
    void aSecondStartTakesTheTemplatesOfTheFirstAndIsReadyWithinFiveSeconds() throws Exception {
        Map<Path, FileTime> made;
        try (var engine = EngineProcess.start()) {
            made = templates(engine);
            assertThat(made).hasSizeGreaterThanOrEqualTo(Language.values().length);
        }
        Promptly.assertBelow(Duration.ofSeconds(5), () -> {
            long start = System.nanoTime();
            try (var engine = EngineProcess.start()) {
                var took = Duration.ofNanos(System.nanoTime() - start);
                assertThat(new Api(engine.uri()).get("/health").status()).isEqualTo(200);
                assertThat(templates(engine)).isEqualTo(made);
                return took;
            }
        });
    }

    /** When each was made. */
    private static Map<Path, FileTime> templates(EngineProcess engine) throws IOException {
        var made = new TreeMap<Path, FileTime>();
        try (var directories = Files.list(engine.stateDir().resolve("templates"))) {
            for (Path directory : directories.toList()) {
                made.put(directory, Files.getLastModifiedTime(directory.resolve("HASHES")));
            }
        }
        return made;
    }

    @Test
    void whileItDrainsItSaysSoAndRefusesNewCalls() throws Exception {
        try (var engine = EngineProcess.start(HeldCall.VARIABLES);
                var call = HeldCall.start(engine.uri())) {
            var api = new Api(engine.uri());
            engine.terminate();
            api.awaitDraining();
            assertThat(api.get("/health").status()).isEqualTo(503);
            var refused = api.exec("bash", "echo late", 5);
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.body().path("code").asString()).isEqualTo("draining");
            assertThat(refused.raw().headers().firstValue("Retry-After")).isPresent();
            assertThat(call.release().data().path("exit_code").asInt(-1)).isZero();
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
