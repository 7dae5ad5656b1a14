package io.hexr.sandbox;

import io.hexr.sandbox.config.EngineConfig;
import io.hexr.sandbox.exec.ExecutionService;
import io.hexr.sandbox.guest.GuestImage;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.http.HealthReport;
import io.hexr.sandbox.http.HealthReport.State;
import io.hexr.sandbox.http.HealthSource;
import io.hexr.sandbox.pool.SandboxPool;
import io.hexr.sandbox.sandbox.BackendInfo;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The engine's state for {@code /health}: asks the parts, those too that are there only when the engine is ready. */
record EngineHealth(
        String version,
        GuestImage image,
        BackendInfo backend,
        EngineConfig.Admission admission,
        Supplier<State> state,
        Supplier<Optional<ExecutionService>> executions,
        Supplier<Optional<SandboxPool>> sandboxes)
        implements HealthSource {
    private static final long MIB = 1 << 20;

    @Override
    public HealthReport health() {
        State now = state.get();
        return new HealthReport(now, reason(now), version, backend, languages(), load(), pool());
    }

    private static @Nullable String reason(State now) {
        return switch (now) {
            case OK -> null;
            case STARTING -> "templates are being made";
            case DRAINING -> "the engine is shutting down";
            case BROKEN -> "the last sandboxes could not be started; the engine's log says why";
        };
    }

    private List<HealthReport.LanguageInfo> languages() {
        return List.of(
                language(Language.PYTHON, "numpy", "pandas", "scipy", "matplotlib"),
                language(Language.JAVASCRIPT),
                language(Language.BASH));
    }

    private HealthReport.LanguageInfo language(Language language, String... packages) {
        var versions = new TreeMap<String, String>();
        for (String name : packages) {
            versions.put(name, image.versions().getOrDefault(name, "unknown"));
        }
        return new HealthReport.LanguageInfo(language.id(), image.version(language), versions);
    }

    private HealthReport.Load load() {
        var service = executions.get();
        return new HealthReport.Load(
                admission.maxConcurrent(),
                service.map(ExecutionService::running).orElse(0),
                admission.queueLength(),
                service.map(ExecutionService::waiting).orElse(0));
    }

    private HealthReport.@Nullable Pool pool() {
        return sandboxes
                .get()
                .map(SandboxPool::levels)
                .map(levels -> new HealthReport.Pool(
                        levels.memoryBytes() / MIB,
                        levels.usedBytes() / MIB,
                        levels.failures(),
                        levels.languages().stream()
                                .map(level -> new HealthReport.PoolLevel(
                                        level.language().id(), level.ready(), level.refilling(), level.target()))
                                .toList()))
                .orElse(null);
    }
}
