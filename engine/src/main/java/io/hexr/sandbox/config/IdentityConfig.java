package io.hexr.sandbox.config;

import static io.hexr.sandbox.config.ConfigVariables.*;

import io.hexr.sandbox.identity.AuthMode;
import io.hexr.sandbox.identity.TrustDomain;
import io.hexr.sandbox.identity.TrustedGateway;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * How callers are known.
 *
 * @param trustDomains whose workloads are accepted
 * @param gateways whose word on the caller is believed
 * @param policyFile what each caller may; without it everything
 * @param tls where the engine's certificate and its trust come from; empty when it speaks no TLS
 */
public record IdentityConfig(
        AuthMode mode,
        List<TrustDomain> trustDomains,
        List<TrustedGateway> gateways,
        Optional<SvidOrigin> tls,
        Optional<Path> policyFile) {

    /** Where certificates come from. */
    public sealed interface SvidOrigin {
        record WorkloadApi(Path socket) implements SvidOrigin {}

        record Files(Path certificate, Path key, Path bundle) implements SvidOrigin {}
    }

    static IdentityConfig read(EnvironmentReader reader, ListenAddress address) {
        return new Rules(reader, address).apply();
    }

    /** A setting that would have no effect is an error: whoever made it believes in a protection that is not there. */
    private static final class Rules {
        private final EnvironmentReader reader;
        private final boolean unixSocket;
        private final AuthMode mode;
        private final List<TrustDomain> trustDomains;
        private final List<TrustedGateway> gateways;

        Rules(EnvironmentReader reader, ListenAddress address) {
            this.reader = reader;
            this.unixSocket = address instanceof ListenAddress.UnixSocket;
            this.mode = reader.read(AUTH_MODE);
            this.trustDomains = reader.readOptional(TRUST_DOMAINS).orElse(List.of());
            this.gateways = reader.readOptional(TRUSTED_GATEWAYS).orElse(List.of());
        }

        IdentityConfig apply() {
            var files = files();
            var workloadApi = reader.readOptional(SPIFFE_ENDPOINT_SOCKET).map(SvidOrigin.WorkloadApi::new);
            if (reader.accepted(AUTH_MODE)) {
                checkMode();
                checkGateways();
            }
            return new IdentityConfig(
                    mode, trustDomains, gateways, tls(files, workloadApi), reader.readOptional(POLICY_FILE));
        }

        private Optional<SvidOrigin> files() {
            var certificate = reader.readOptional(TLS_CERT_FILE);
            var key = reader.readOptional(TLS_KEY_FILE);
            var bundle = reader.readOptional(TLS_BUNDLE_FILE);
            if (certificate.isPresent() && key.isPresent() && bundle.isPresent()) {
                if (mode != AuthMode.NONE && trustDomains.size() > 1) {
                    reader.reject(TRUST_DOMAINS, "exactly one, because TLS_BUNDLE_FILE holds the authorities of one");
                }
                return Optional.of(new SvidOrigin.Files(certificate.get(), key.get(), bundle.get()));
            }
            boolean some = certificate.isPresent() || key.isPresent() || bundle.isPresent();
            boolean accepted =
                    reader.accepted(TLS_CERT_FILE) && reader.accepted(TLS_KEY_FILE) && reader.accepted(TLS_BUNDLE_FILE);
            if (some && accepted) {
                reader.reject(
                        TLS_CERT_FILE, "given together with TLS_KEY_FILE and TLS_BUNDLE_FILE, or none of the three");
            }
            return Optional.empty();
        }

        private void checkMode() {
            if (mode == AuthMode.NONE) {
                if (!trustDomains.isEmpty()) {
                    reader.reject(TRUST_DOMAINS, "unset, because AUTH_MODE is none");
                }
            } else if (trustDomains.isEmpty() && reader.accepted(TRUST_DOMAINS)) {
                reader.reject(TRUST_DOMAINS, TrustDomain.LEGAL + "; AUTH_MODE needs at least one");
            }
            if (mode == AuthMode.MTLS && unixSocket) {
                reader.reject(LISTEN_ADDRESS, "[host]:port, because AUTH_MODE is mtls");
            }
        }

        private void checkGateways() {
            if (mode != AuthMode.XFCC) {
                if (!gateways.isEmpty()) {
                    reader.reject(TRUSTED_GATEWAYS, "unset, because AUTH_MODE is not xfcc");
                }
                return;
            }
            if (gateways.isEmpty() && reader.accepted(TRUSTED_GATEWAYS)) {
                reader.reject(TRUSTED_GATEWAYS, "given, because AUTH_MODE is xfcc: " + TrustedGateway.LEGAL);
            }
            for (TrustedGateway gateway : gateways) {
                boolean unix = gateway instanceof TrustedGateway.UnixSocket;
                if (unix != unixSocket && reader.accepted(LISTEN_ADDRESS)) {
                    reader.reject(
                            TRUSTED_GATEWAYS,
                            "unix exactly when LISTEN_ADDRESS is a unix socket, and nothing else then");
                    return;
                }
                if (gateway instanceof TrustedGateway.Workload workload
                        && !trustDomains.contains(workload.id().trustDomain())) {
                    reader.reject(TRUSTED_GATEWAYS, "of one of TRUST_DOMAINS");
                }
            }
        }

        private Optional<SvidOrigin> tls(Optional<SvidOrigin> files, Optional<SvidOrigin.WorkloadApi> workloadApi) {
            boolean needed = mode == AuthMode.MTLS
                    || gateways.stream().anyMatch(gateway -> gateway instanceof TrustedGateway.Workload);
            if (files.isPresent() && (mode == AuthMode.NONE || unixSocket)) {
                reader.reject(TLS_CERT_FILE, "unset: AUTH_MODE none and unix sockets go without TLS");
            }
            if (!needed) {
                // The platform may set SPIFFE_ENDPOINT_SOCKET for everybody; files somebody set on purpose.
                return files;
            }
            Optional<SvidOrigin> origin = files.or(() -> workloadApi);
            if (origin.isEmpty() && reader.accepted(SPIFFE_ENDPOINT_SOCKET) && reader.accepted(TLS_CERT_FILE)) {
                reader.reject(
                        SPIFFE_ENDPOINT_SOCKET,
                        "given, or the three TLS_…_FILE: without a certificate there is no mTLS");
            }
            return origin;
        }
    }
}
