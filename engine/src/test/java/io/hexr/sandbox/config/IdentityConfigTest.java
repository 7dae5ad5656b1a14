package io.hexr.sandbox.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hexr.sandbox.config.IdentityConfig.SvidOrigin;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IdentityConfigTest {
    private static final String FILES = " TLS_CERT_FILE=/c TLS_KEY_FILE=/k TLS_BUNDLE_FILE=/b";
    private static final String API = " SPIFFE_ENDPOINT_SOCKET=unix:///agent";

    private static IdentityConfig load(String variables) throws ConfigException {
        Map<String, String> environment = Arrays.stream(variables.strip().split(" +"))
                .map(pair -> pair.split("=", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
        return EngineConfig.load(environment, new Machine(2, 4L << 30)).identity();
    }

    /** Every setting that would protect nothing, or let nobody in, is refused at the variable to change. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "TRUST_DOMAINS          | AUTH_MODE=xfcc TRUSTED_GATEWAYS=127.0.0.1",
                "TRUSTED_GATEWAYS       | AUTH_MODE=xfcc TRUST_DOMAINS=example.org",
                "TRUST_DOMAINS          | AUTH_MODE=none TRUST_DOMAINS=example.org",
                "TRUSTED_GATEWAYS       | AUTH_MODE=none TRUSTED_GATEWAYS=127.0.0.1",
                "TRUSTED_GATEWAYS       | AUTH_MODE=mtls TRUST_DOMAINS=example.org TRUSTED_GATEWAYS=127.0.0.1 API",
                "TRUSTED_GATEWAYS       | AUTH_MODE=xfcc TRUST_DOMAINS=example.org TRUSTED_GATEWAYS=spiffe://other.org/gateway API",
                "TRUSTED_GATEWAYS       | AUTH_MODE=xfcc TRUST_DOMAINS=example.org TRUSTED_GATEWAYS=unix",
                "TRUSTED_GATEWAYS       | AUTH_MODE=xfcc TRUST_DOMAINS=example.org TRUSTED_GATEWAYS=127.0.0.1 LISTEN_ADDRESS=unix:/s",
                "TRUSTED_GATEWAYS       | AUTH_MODE=xfcc TRUST_DOMAINS=example.org TRUSTED_GATEWAYS=unix,127.0.0.1 LISTEN_ADDRESS=unix:/s",
                "SPIFFE_ENDPOINT_SOCKET | AUTH_MODE=mtls TRUST_DOMAINS=example.org",
                "SPIFFE_ENDPOINT_SOCKET | AUTH_MODE=xfcc TRUST_DOMAINS=example.org TRUSTED_GATEWAYS=spiffe://example.org/gateway",
                "LISTEN_ADDRESS         | AUTH_MODE=mtls TRUST_DOMAINS=example.org LISTEN_ADDRESS=unix:/s API",
                "TLS_CERT_FILE          | AUTH_MODE=mtls TRUST_DOMAINS=example.org API TLS_KEY_FILE=/k",
                "TLS_CERT_FILE          | AUTH_MODE=xfcc TRUST_DOMAINS=example.org TRUSTED_GATEWAYS=unix LISTEN_ADDRESS=unix:/s FILES",
                "TRUST_DOMAINS          | AUTH_MODE=mtls TRUST_DOMAINS=example.org,other.org FILES",
                "AUTH_MODE              | AUTH_MODE=mutual"
            })
    void aCombinationThatDoesNotProtectIsRefused(String variable, String variables) {
        var failure = catchThrowableOfType(
                ConfigException.class,
                () -> load(variables.replace(" FILES", FILES).replace(" API", API)));

        assertThat(failure).as(variables).isNotNull();
        assertThat(failure.problems())
                .extracting(ConfigException.Problem::variable)
                .containsExactly(variable);
    }

    @Test
    void filesGoBeforeTheWorkloadApi() throws ConfigException {
        assertThat(load("AUTH_MODE=mtls TRUST_DOMAINS=example.org" + API).tls())
                .contains(new SvidOrigin.WorkloadApi(Path.of("/agent")));
        assertThat(load("AUTH_MODE=mtls TRUST_DOMAINS=example.org" + API + FILES)
                        .tls())
                .contains(new SvidOrigin.Files(Path.of("/c"), Path.of("/k"), Path.of("/b")));
    }

    @Test
    void aWorkloadApiThatNobodyNeedsIsLeftAlone() throws ConfigException {
        assertThat(load("AUTH_MODE=none" + API).tls()).isEmpty();
        assertThat(load("AUTH_MODE=xfcc TRUST_DOMAINS=example.org TRUSTED_GATEWAYS=127.0.0.1" + API)
                        .tls())
                .isEmpty();
    }
}
