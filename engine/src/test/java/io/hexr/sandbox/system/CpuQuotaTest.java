package io.hexr.sandbox.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.EngineProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A quota of processor time with a real sandbox, whose cgroup counts it. */
@Tag("sandbox")
@Timeout(300)
class CpuQuotaTest {
    private static final int MANY_CALLS = 30;

    @TempDir
    private Path directory;

    @Test
    void aCallerPaysForWhatItComputesAndNotForWhatItSleeps() throws Exception {
        Path policy = Files.writeString(
                directory.resolve("policy.yaml"),
                "version: 1\ncallers: [{match: anonymous, run_seconds_per_minute: 2}]\n");
        try (var engine = EngineProcess.start(Map.of("POLICY_FILE", policy.toString()))) {
            var api = new Api(engine.uri());

            var slept = api.exec("bash", "sleep 3", 20);
            assertThat(slept.status()).as(slept.raw().body()).isEqualTo(200);
            assertThat(slept.raw().headers().firstValue("RateLimit-Policy"))
                    .hasValue("\"run_seconds_per_minute\";q=2;qu=\"cpu-seconds\";w=60");
            assertThat(slept.raw().headers().firstValue("RateLimit").orElse(""))
                    .matches("\"run_seconds_per_minute\";r=[12];t=.*");

            // How much of a processor four seconds are depends on who else wants one.
            var refused = slept;
            for (int call = 0; call < MANY_CALLS && refused.status() == 200; call++) {
                refused = api.exec("bash", "while :; do :; done", 4);
            }
            assertThat(refused.status()).as(refused.raw().body()).isEqualTo(429);
            assertThat(refused.body().path("field").asString()).isEqualTo("run_seconds_per_minute");
            assertThat(refused.raw().headers().firstValue("RateLimit").orElse(""))
                    .startsWith("\"run_seconds_per_minute\";r=0;t=");
        }
    }
}
