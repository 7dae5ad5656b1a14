package io.hexr.sandbox;

import io.hexr.sandbox.config.EngineConfig;
import io.hexr.sandbox.exec.ExecutionService;
import io.hexr.sandbox.http.HealthReport;
import io.hexr.sandbox.policy.PolicySource;
import io.hexr.sandbox.pool.PoolLevels;
import io.hexr.sandbox.pool.SandboxPool;
import io.hexr.sandbox.sandbox.BackendInfo;
import io.hexr.sandbox.telemetry.audit.Audit;
import io.hexr.sandbox.telemetry.metrics.EngineState;
import io.hexr.sandbox.telemetry.trace.Tracing;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/** The engine's state for metrics: asks the parts, those too that are there only when the engine is ready. */
record RunningState(
        EngineConfig config,
        BackendInfo backend,
        CallerAuthentication authentication,
        Audit recorder,
        Tracing tracing,
        Supplier<HealthReport.State> health,
        Supplier<Optional<ExecutionService>> executions,
        Supplier<Optional<SandboxPool>> sandboxes)
        implements EngineState {

    @Override
    public String state() {
        return spell(health.get());
    }

    @Override
    public List<String> states() {
        return Arrays.stream(HealthReport.State.values())
                .map(RunningState::spell)
                .toList();
    }

    private static String spell(HealthReport.State state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public int running() {
        return executions.get().map(ExecutionService::running).orElse(0);
    }

    @Override
    public int runningLimit() {
        return config.admission().maxConcurrent();
    }

    @Override
    public int waiting() {
        return executions.get().map(ExecutionService::waiting).orElse(0);
    }

    @Override
    public int waitingLimit() {
        return config.admission().queueLength();
    }

    @Override
    public Optional<PoolLevels> pool() {
        return sandboxes.get().map(SandboxPool::levels);
    }

    @Override
    public Audit.Counts audit() {
        return recorder.counts();
    }

    @Override
    public PolicySource.Counts policy() {
        return authentication.gate().policy().counts();
    }

    @Override
    public Optional<Instant> svidExpiry() {
        return authentication.svidExpiry();
    }

    @Override
    public long lostSpans() {
        return tracing.lostSpans();
    }
}
