package io.hexr.sandbox.http;

import io.hexr.sandbox.http.HealthReport.LanguageInfo;
import io.hexr.sandbox.http.HealthReport.Load;
import io.hexr.sandbox.http.HealthReport.Pool;
import io.hexr.sandbox.http.HealthReport.State;
import io.hexr.sandbox.policy.Caller;
import io.hexr.sandbox.sandbox.BackendInfo;
import java.util.List;
import java.util.Locale;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** {@code GET /health}: 200 when the engine runs code, else 503 with the reason. */
final class HealthEndpoint implements Endpoint {
    private final HealthSource source;

    HealthEndpoint(HealthSource source) {
        this.source = source;
    }

    private record Body(
            String status,
            @Nullable String reason,
            String version,
            @Nullable String backend,
            @Nullable String backendVersion,
            @Nullable String backendReason,
            @Nullable String isolation,
            List<LanguageInfo> languages,
            Load load,
            @Nullable Pool pool) {

        private static Body of(HealthReport report) {
            BackendInfo backend = report.backend();
            return new Body(
                    spell(report.state()),
                    report.reason(),
                    report.version(),
                    backend == null ? null : backend.name(),
                    backend == null ? null : backend.version(),
                    backend == null ? null : backend.reason(),
                    backend == null ? null : spell(backend.isolation()),
                    report.languages(),
                    report.load(),
                    report.pool());
        }
    }

    @Override
    public String path() {
        return "/health";
    }

    @Override
    public List<String> methods() {
        return List.of("GET", "HEAD");
    }

    /** Probes of a platform have no SVID. */
    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public Answer handle(Request request, Caller caller, BodyMemory.Reservation memory) {
        var report = source.health();
        return Answer.json(report.state() == State.OK ? 200 : 503, Body.of(report));
    }

    private static String spell(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
