package io.hexr.sandbox.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.identity.TestAuthority.Wish;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SvidVerifierTest {
    private static final String DEMO = "spiffe://example.org/agent/demo";
    private static final Set<TrustDomain> DOMAINS = Set.of(new TrustDomain("example.org"));

    private final TestAuthority authority = new TestAuthority("example.org");
    private final SvidVerifier verifier = new SvidVerifier(authority, DOMAINS);

    @Test
    void anSvidOfTheTrustDomainIsItsId() throws Exception {
        assertThat(verifier.verify(authority.issue(DEMO).chain())).hasToString(DEMO);
    }

    @Test
    void anIntermediateMayStandBetweenTheSvidAndTheBundle() throws Exception {
        assertThat(verifier.verify(authority.issueThroughIntermediate(DEMO).chain()))
                .hasToString(DEMO);
    }

    static Stream<Arguments> wrongCertificates() {
        var now = Instant.now();
        return Stream.of(
                Arguments.of("no URI", Wish.of()),
                Arguments.of("two URIs", Wish.of(DEMO, "spiffe://example.org/agent/other")),
                Arguments.of("an ID and another URI", Wish.of(DEMO, "https://example.org/")),
                Arguments.of("no SPIFFE ID", Wish.of("https://example.org/agent/demo")),
                Arguments.of("the trust domain itself", Wish.of("spiffe://example.org")),
                Arguments.of("another trust domain", Wish.of("spiffe://evil.org/agent/demo")),
                Arguments.of("an authority", Wish.of(DEMO).asAuthority()),
                Arguments.of(
                        "may sign certificates",
                        Wish.of(DEMO).withUsage(KeyUsage.digitalSignature | KeyUsage.keyCertSign)),
                Arguments.of(
                        "may sign revocations", Wish.of(DEMO).withUsage(KeyUsage.digitalSignature | KeyUsage.cRLSign)),
                Arguments.of("may not sign", Wish.of(DEMO).withUsage(KeyUsage.keyAgreement)),
                Arguments.of("no key usage", Wish.of(DEMO).withUsage(0)),
                Arguments.of("only for servers", Wish.of(DEMO).withPurposes(KeyPurposeId.id_kp_serverAuth)),
                Arguments.of("expired", Wish.of(DEMO).valid(now.minusSeconds(60), now.minusSeconds(1))),
                Arguments.of("not valid yet", Wish.of(DEMO).valid(now.plusSeconds(60), now.plusSeconds(120))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongCertificates")
    void aCertificateThatIsNoSvidIsRefused(String what, Wish wish) {
        var chain = authority.issue(wish).chain();

        assertThatThrownBy(() -> verifier.verify(chain)).as(what).isInstanceOf(AuthenticationException.class);
    }

    @Test
    void anAuthorityOfTheSameNameIsNotTheSame() {
        var impostor = new TestAuthority("example.org").issue(DEMO).chain();

        assertThatThrownBy(() -> verifier.verify(impostor)).hasMessageContaining("not signed by an authority");
    }

    @Test
    void anAuthorityOfOneTrustDomainCannotSpeakForAnother() {
        var other = new TestAuthority("other.org");
        var both = Set.of(new TrustDomain("example.org"), new TrustDomain("other.org"));
        var bundle = new SvidBundle(
                authority.issue(DEMO),
                Map.of(
                        new TrustDomain("example.org"), Set.of(authority.rootCertificate()),
                        new TrustDomain("other.org"), Set.of(other.rootCertificate())));
        var federated = new SvidVerifier(source(bundle), both);

        assertThatThrownBy(() -> federated.verify(other.issue(DEMO).chain()))
                .isInstanceOf(AuthenticationException.class);
    }

    @Test
    void anEngineWithoutIdentityLetsNobodyIn() {
        var chain = authority.issue(DEMO).chain();
        authority.withdraw();

        assertThatThrownBy(() -> verifier.verify(chain)).hasMessageContaining("no identity of its own");
        assertThatThrownBy(() -> verifier.verify(List.of())).hasMessageContaining("no certificate");
    }

    private static SvidSource source(SvidBundle bundle) {
        return new SvidSource() {
            @Override
            public Optional<SvidBundle> current() {
                return Optional.of(bundle);
            }

            @Override
            public void close() {}
        };
    }
}
