package io.hexr.sandbox;

import io.hexr.sandbox.config.IdentityConfig;
import io.hexr.sandbox.config.IdentityConfig.SvidOrigin;
import io.hexr.sandbox.http.HttpServer;
import io.hexr.sandbox.identity.Authenticator;
import io.hexr.sandbox.identity.FileSvidSource;
import io.hexr.sandbox.identity.SvidSource;
import io.hexr.sandbox.identity.SvidTls;
import io.hexr.sandbox.identity.SvidVerifier;
import io.hexr.sandbox.identity.workload.WorkloadApiSource;
import io.hexr.sandbox.policy.PolicySource;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/** What the engine lets callers in by: made from the configuration, open as long as the engine is. */
final class CallerAuthentication implements AutoCloseable {
    /** An agent that starts together with the engine needs some seconds to get it an SVID. */
    private static final Duration FIRST_SVID = Duration.ofSeconds(30);

    private final SvidSource source;
    private final PolicySource policy;
    private final HttpServer.Gate gate;

    private CallerAuthentication(SvidSource source, PolicySource policy, HttpServer.Gate gate) {
        this.source = source;
        this.policy = policy;
        this.gate = gate;
    }

    static CallerAuthentication open(IdentityConfig config) throws IOException {
        var policy = config.policyFile().isEmpty()
                ? PolicySource.everybody()
                : PolicySource.open(config.policyFile().get());
        try {
            return open(config, policy);
        } catch (IOException e) {
            policy.close();
            throw e;
        }
    }

    private static CallerAuthentication open(IdentityConfig config, PolicySource policy) throws IOException {
        var source = config.tls().isEmpty()
                ? SvidSource.none()
                : open(config, config.tls().get());
        var verifier = new SvidVerifier(source, Set.copyOf(config.trustDomains()));
        var authenticator =
                new Authenticator(config.mode(), Set.copyOf(config.trustDomains()), config.gateways(), verifier);
        var tls = config.tls().isEmpty() ? null : SvidTls.serverContext(source, verifier);
        return new CallerAuthentication(source, policy, new HttpServer.Gate(authenticator, policy, tls));
    }

    private static SvidSource open(IdentityConfig config, SvidOrigin origin) throws IOException {
        return switch (origin) {
            case SvidOrigin.WorkloadApi api -> WorkloadApiSource.open(api.socket(), FIRST_SVID);
            case SvidOrigin.Files files ->
                FileSvidSource.open(
                        files.certificate(),
                        files.key(),
                        files.bundle(),
                        config.trustDomains().getFirst());
        };
    }

    HttpServer.Gate gate() {
        return gate;
    }

    /** When the engine's own certificate ends; empty when it has none. */
    Optional<Instant> svidExpiry() {
        return source.current().map(bundle -> bundle.svid().leaf().getNotAfter().toInstant());
    }

    @Override
    public void close() {
        source.close();
        policy.close();
    }
}
