package io.hexr.sandbox.telemetry.metrics;

import io.hexr.sandbox.pool.PoolLevels;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import java.time.Instant;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/** The metrics that are read off the engine's state. */
final class StateMetrics {
    private final Instruments instruments;
    private final EngineState state;

    private StateMetrics(Instruments instruments, EngineState state) {
        this.instruments = instruments;
        this.state = state;
    }

    static void register(Instruments instruments, EngineState state) {
        var metrics = new StateMetrics(instruments, state);
        metrics.engine();
        metrics.queue();
        metrics.pool();
        metrics.audit();
        metrics.identity();
        metrics.traces();
    }

    private void engine() {
        var backend = state.backend();
        instruments
                .info(
                        "hexr_isolation_info",
                        "What separates programs from the host: hardware or user_space_kernel.",
                        "backend",
                        "isolation",
                        "version")
                .setLabelValues(backend.name(), backend.isolation().name().toLowerCase(Locale.ROOT), backend.version());
        instruments.gauges(
                "hexr_engine_state",
                "1 for the state that /health tells, 0 for the others.",
                callback -> state.states().forEach(each -> callback.call(each.equals(state.state()) ? 1 : 0, each)),
                "state");
    }

    private void queue() {
        instruments.gauge(
                "hexr_executions_running",
                "Calls that have a place; those whose sandbox is not gone yet count.",
                state::running);
        instruments.gauge("hexr_executions_running_limit", "Places (MAX_CONCURRENT).", state::runningLimit);
        instruments.gauge("hexr_queue_waiting", "Calls that wait for a place.", state::waiting);
        instruments.gauge("hexr_queue_waiting_limit", "Calls that may wait (QUEUE_LENGTH).", state::waitingLimit);
    }

    private void pool() {
        instruments.gauges("hexr_pool_ready", "Sandboxes that wait.", levels(PoolLevels.Level::ready), "language");
        instruments.gauges(
                "hexr_pool_refilling",
                "Sandboxes that are made ready.",
                levels(PoolLevels.Level::refilling),
                "language");
        instruments.gauges(
                "hexr_pool_target", "Sandboxes that should wait.", levels(PoolLevels.Level::target), "language");
        instruments.gauges(
                "hexr_pool_memory_bytes", "What waiting sandboxes hold at most.", whole(PoolLevels::usedBytes));
        instruments.gauges(
                "hexr_pool_memory_limit_bytes",
                "What they may hold (READY_POOL_MEMORY_MB).",
                whole(PoolLevels::memoryBytes));
    }

    private Consumer<GaugeWithCallback.Callback> levels(ToIntFunction<PoolLevels.Level> value) {
        return callback -> state.pool()
                .ifPresent(levels -> levels.languages()
                        .forEach(level -> callback.call(
                                value.applyAsInt(level), level.language().id())));
    }

    private Consumer<GaugeWithCallback.Callback> whole(ToLongFunction<PoolLevels> value) {
        return callback -> state.pool().ifPresent(levels -> callback.call((double) value.applyAsLong(levels)));
    }

    private void audit() {
        instruments.counters(
                "hexr_audit_records_total",
                "Records written.",
                callback -> callback.call((double) state.audit().records()));
        instruments.counters(
                "hexr_audit_written_bytes_total",
                "Bytes of records written.",
                callback -> callback.call((double) state.audit().bytes()));
        instruments.counters(
                "hexr_audit_failures_total",
                "Attempts to write a record that failed; calls are refused meanwhile.",
                callback -> callback.call((double) state.audit().failures()));
    }

    private void identity() {
        instruments.counters(
                "hexr_policy_reloads_total",
                "Changes of the policy file: taken (ok) or refused, the former one staying in force (failed).",
                callback -> {
                    callback.call((double) state.policy().reloads(), "ok");
                    callback.call((double) state.policy().failedReloads(), "failed");
                },
                "result");
        instruments.gauges(
                "hexr_policy_loaded_timestamp_seconds",
                "When the policy in force was read.",
                callback -> callback.call(seconds(state.policy().loadedAt())));
        instruments.gauges(
                "hexr_svid_expiry_timestamp_seconds",
                "When the engine's own certificate ends; absent when it has none.",
                callback -> state.svidExpiry().ifPresent(expiry -> callback.call(seconds(expiry))));
    }

    private void traces() {
        instruments.counters(
                "hexr_spans_lost_total",
                "Spans that reached no collector.",
                callback -> callback.call((double) state.lostSpans()));
    }

    private static double seconds(Instant instant) {
        return instant.toEpochMilli() / 1e3;
    }
}
