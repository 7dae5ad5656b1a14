package io.hexr.sandbox.system;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The specification's own request, byte for byte, and its neighbours. */
@Tag("sandbox")
@Timeout(60)
@ExtendWith(RunningEngine.class)
class SeedRequestTest {
    private final Api api;

    SeedRequestTest(Api api) {
        this.api = api;
    }

    @Test
    void theRequestOfTheSpecificationGetsItsAnswer() throws Exception {
        var answer = api.post("""
                {"code": "import pandas as pd\\nprint(pd.DataFrame({'a': [1,2,3]}).describe())", "language": "python", "timeout": 30, "memory_mb": 256}""");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.stdout()).isEqualTo("""
                         a
                count  3.0
                mean   2.0
                std    1.0
                min    1.0
                25%    1.5
                50%    2.0
                75%    2.5
                max    3.0
                """.replaceFirst("^ a", "         a"));
        assertThat(answer.stderr()).isEmpty();
        assertThat(answer.exitCode()).isZero();
        assertThat(answer.body().path("execution_time_ms").isIntegralNumber()).isTrue();
        assertThat(answer.body().path("memory_used_mb").asDouble()).isPositive();
        assertThat(answer.raw().headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("application/json"));
    }

    @Test
    void javaScriptRunsOnNode20() throws Exception {
        assertThat(api.exec("javascript", "console.log(process.version.split('.')[0])", 10)
                        .stdout())
                .isEqualTo("v20\n");
    }

    @Test
    void bashIsBash5() throws Exception {
        assertThat(api.exec("bash", "echo ${BASH_VERSINFO[0]}", 10).stdout()).isEqualTo("5\n");
    }

    @Test
    void pythonIs311WithTheScientificLibraries() throws Exception {
        assertThat(api.exec("python", "import sys, numpy, pandas, scipy, matplotlib; print(sys.version_info[:2])", 10)
                        .stdout())
                .isEqualTo("(3, 11)\n");
    }

    @Test
    void healthNamesBackendIsolationAndVersions() throws Exception {
        var health = api.get("/health");
        assertThat(health.status()).isEqualTo(200);
        assertThat(health.body().path("status").asString()).isEqualTo("ok");
        assertThat(health.raw().body()).contains("gvisor", "user_space_kernel", "python", "3.11", "20.20.2");
    }
}
