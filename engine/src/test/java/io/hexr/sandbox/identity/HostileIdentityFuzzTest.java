package io.hexr.sandbox.identity;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.List;
import java.util.Set;

/** Any header gives a legal identity of the trust domain or a refusal. {@code JAZZER_FUZZ=1} searches; else the inputs found so far are replayed. */
class HostileIdentityFuzzTest {
    private static final Set<TrustDomain> DOMAINS = Set.of(new TrustDomain("example.org"));
    private static final Authenticator AUTHENTICATOR = new Authenticator(
            AuthMode.XFCC,
            DOMAINS,
            List.of(new TrustedGateway.UnixSocket()),
            new SvidVerifier(SvidSource.none(), DOMAINS));

    @FuzzTest(maxDuration = "60s")
    void aHeaderGivesALegalIdentityOrARefusal(byte[] bytes) {
        String value = new String(bytes, ISO_8859_1);
        try {
            var identity = AUTHENTICATOR.authenticate(
                    new Peer(null, List.of()), List.of(new Header("X-Forwarded-Client-Cert", value)));
            assertThat(identity.name()).matches("spiffe://example\\.org(/[A-Za-z0-9._-]+)+");
            assertThat(value).containsOnlyOnce(identity.name()).doesNotContain(",URI", ",By");
        } catch (AuthenticationException e) {
            assertThat(e.reason()).hasSizeBetween(10, 200);
        }
    }
}
