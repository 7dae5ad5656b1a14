package io.hexr.sandbox.http;

import io.hexr.sandbox.http.HealthReport.LanguageInfo;
import io.hexr.sandbox.policy.Caller;
import java.util.List;
import org.eclipse.jetty.server.Request;

/** {@code GET /api/v1/languages}: what can be run, with the versions that the guest image holds. */
final class LanguagesEndpoint implements Endpoint {
    private final HealthSource source;

    LanguagesEndpoint(HealthSource source) {
        this.source = source;
    }

    private record Body(List<LanguageInfo> languages) {}

    @Override
    public String path() {
        return "/api/v1/languages";
    }

    @Override
    public List<String> methods() {
        return List.of("GET", "HEAD");
    }

    @Override
    public Answer handle(Request request, Caller caller, BodyMemory.Reservation memory) {
        return Answer.json(200, new Body(source.health().languages()));
    }
}
