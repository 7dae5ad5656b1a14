package io.hexr.sandbox.telemetry.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.policy.PolicySource;
import io.hexr.sandbox.pool.PoolLevels;
import io.hexr.sandbox.sandbox.BackendInfo;
import io.hexr.sandbox.telemetry.audit.Audit;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is asked for at every reading, of an engine that has what the engines of other tests have not. */
class StateMetricsTest {
    private static final Instant LOADED = Instant.ofEpochSecond(1_800_000_000);
    private static final Instant EXPIRY = Instant.ofEpochMilli(1_800_003_600_500L);

    private Optional<PoolLevels> pool = Optional.empty();
    private Optional<Instant> expiry = Optional.empty();
    private final Metrics metrics = new Metrics("1.2.3");

    private final class State implements EngineState {
        @Override
        public String state() {
            return "broken";
        }

        @Override
        public List<String> states() {
            return List.of("ok", "broken");
        }

        @Override
        public BackendInfo backend() {
            return new BackendInfo("firecracker", BackendInfo.Isolation.HARDWARE, "1.16.1");
        }

        @Override
        public int running() {
            return 3;
        }

        @Override
        public int runningLimit() {
            return 4;
        }

        @Override
        public int waiting() {
            return 5;
        }

        @Override
        public int waitingLimit() {
            return 6;
        }

        @Override
        public Optional<PoolLevels> pool() {
            return pool;
        }

        @Override
        public Audit.Counts audit() {
            return new Audit.Counts(7, 800, 9);
        }

        @Override
        public PolicySource.Counts policy() {
            return new PolicySource.Counts(10, 11, LOADED);
        }

        @Override
        public Optional<Instant> svidExpiry() {
            return expiry;
        }

        @Override
        public long lostSpans() {
            return 12;
        }
    }

    private PrometheusText read() {
        return PrometheusText.parse(new String(metrics.expose(null).body(), UTF_8));
    }

    @Test
    void everyValueIsThatOfTheState() {
        metrics.watch(new State());
        pool = Optional.of(new PoolLevels(1 << 30, 1 << 20, 0, List.of(new PoolLevels.Level(Language.BASH, 1, 2, 4))));
        expiry = Optional.of(EXPIRY);

        var read = read();

        assertThat(read.value("hexr_engine_state", "state", "broken")).isEqualTo(1);
        assertThat(read.value("hexr_engine_state", "state", "ok")).isZero();
        assertThat(read.value("hexr_isolation_info", "backend", "firecracker", "isolation", "hardware"))
                .isEqualTo(1);
        assertThat(read.value("hexr_executions_running")).isEqualTo(3);
        assertThat(read.value("hexr_executions_running_limit")).isEqualTo(4);
        assertThat(read.value("hexr_queue_waiting")).isEqualTo(5);
        assertThat(read.value("hexr_queue_waiting_limit")).isEqualTo(6);
        assertThat(read.value("hexr_pool_ready", "language", "bash")).isEqualTo(1);
        assertThat(read.value("hexr_pool_refilling", "language", "bash")).isEqualTo(2);
        assertThat(read.value("hexr_pool_target", "language", "bash")).isEqualTo(4);
        assertThat(read.value("hexr_pool_memory_bytes")).isEqualTo(1 << 20);
        assertThat(read.value("hexr_pool_memory_limit_bytes")).isEqualTo(1 << 30);
        assertThat(read.value("hexr_audit_records_total")).isEqualTo(7);
        assertThat(read.value("hexr_audit_written_bytes_total")).isEqualTo(800);
        assertThat(read.value("hexr_audit_failures_total")).isEqualTo(9);
        assertThat(read.value("hexr_policy_reloads_total", "result", "ok")).isEqualTo(10);
        assertThat(read.value("hexr_policy_reloads_total", "result", "failed")).isEqualTo(11);
        assertThat(read.value("hexr_policy_loaded_timestamp_seconds")).isEqualTo(1_800_000_000);
        assertThat(read.value("hexr_svid_expiry_timestamp_seconds")).isEqualTo(1_800_003_600.5);
        assertThat(read.value("hexr_spans_lost_total")).isEqualTo(12);
    }

    @Test
    void whatThereIsNotHasNoSeries() {
        metrics.watch(new State());
        var read = read();
        assertThat(read.all("hexr_svid_expiry_timestamp_seconds")).isEmpty();
        assertThat(read.all("hexr_pool_ready")).isEmpty();
        assertThat(read.all("hexr_pool_memory_bytes")).isEmpty();
    }
}
