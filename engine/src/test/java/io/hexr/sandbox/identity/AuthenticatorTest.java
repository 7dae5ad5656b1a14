package io.hexr.sandbox.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class AuthenticatorTest {
    private static final String XFCC = "x-forwarded-client-cert";
    private static final String HASH = "ab".repeat(32);
    private static final String GOOD =
            "By=spiffe://example.org/gateway;Hash=" + HASH + ";URI=spiffe://example.org/agent/demo";
    private static final Peer UNIX = new Peer(null, List.of());

    private final TestAuthority authority = new TestAuthority("example.org");

    private Authenticator authenticator(AuthMode mode, String... gateways) {
        var domains = Set.of(new TrustDomain("example.org"));
        return new Authenticator(
                mode,
                domains,
                Arrays.stream(gateways)
                        .map(text -> TrustedGateway.parse(text).orElseThrow())
                        .toList(),
                new SvidVerifier(authority, domains));
    }

    private static List<Header> xfcc(String value) {
        return List.of(new Header("Host", "x"), new Header(XFCC, value));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("io.hexr.sandbox.identity.XfccSamples#all")
    void whatEnvoyReallySentGivesTheRightIdentityOrNone(String how, String expected, String header) throws Exception {
        var authenticator = authenticator(AuthMode.XFCC, "unix");
        if (expected.equals("refused")) {
            assertThatThrownBy(() -> authenticator.authenticate(UNIX, xfcc(header)))
                    .as(header)
                    .isInstanceOf(AuthenticationException.class);
        } else {
            assertThat(authenticator.authenticate(UNIX, xfcc(header)))
                    .extracting(CallerIdentity::name, CallerIdentity::proof)
                    .containsExactly(expected, "xfcc from unix");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "missing              | Other=x",
                "more than once       | x-forwarded-client-cert=GOOD & x-forwarded-client-cert=GOOD",
                "more than once       | x-forwarded-client-cert=GOOD & X_Forwarded_Client_Cert=GOOD",
                "looks like it        | X_Forwarded_Client_Cert=GOOD",
                "looks like it        | x-forwarded_client-cert=GOOD",
                "2 elements           | x-forwarded-client-cert=GOOD,GOOD",
                "malformed            | x-forwarded-client-cert=GOOD,",
                "malformed            | x-forwarded-client-cert=",
                "malformed            | x-forwarded-client-cert=GOOD;",
                "malformed            | x-forwarded-client-cert=GOOD;Evil=1",
                "malformed            | x-forwarded-client-cert=GOOD; URI=spiffe://example.org/a",
                "malformed            | x-forwarded-client-cert=GOOD;Subject=\"CN=x",
                "malformed            | x-forwarded-client-cert=GOOD;Subject=\"CN=x\"y",
                "malformed            | x-forwarded-client-cert=GOOD;Subject=\"CN=x\\",
                "2 URIs               | x-forwarded-client-cert=GOOD;URI=spiffe://example.org/b",
                "2 URIs               | x-forwarded-client-cert=GOOD;uri=\"spiffe://example.org/b\"",
                "2 URIs               | x-forwarded-client-cert=GOOD;URI=",
                "lacks By or Hash     | x-forwarded-client-cert=URI=spiffe://example.org/a",
                "lacks By or Hash     | x-forwarded-client-cert=GOOD;By=spiffe://example.org/other",
                "no SHA-256           | x-forwarded-client-cert=By=g;Hash=1;URI=spiffe://example.org/a",
                "not the SPIFFE ID    | x-forwarded-client-cert=By=g;Hash=HASH;URI=spiffe://example.org",
                "not the SPIFFE ID    | x-forwarded-client-cert=By=g;Hash=HASH;URI=https://example.org/a",
                "trust domain         | x-forwarded-client-cert=By=g;Hash=HASH;URI=spiffe://evil.org/a"
            })
    void aHeaderThatIsNotExactlyRightIsRefusedWithTheReason(String reason, String fields) {
        var headers = Arrays.stream(fields.split(" & "))
                .map(field -> field.split("=", 2))
                .map(field ->
                        new Header(field[0], field[1].replace("GOOD", GOOD).replace("HASH", HASH)))
                .toList();

        assertThatThrownBy(() -> authenticator(AuthMode.XFCC, "unix").authenticate(UNIX, headers))
                .isInstanceOf(AuthenticationException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void onlyTheNamedNetworkIsBelieved() throws Exception {
        var authenticator = authenticator(AuthMode.XFCC, "10.0.0.0/8");
        var inside = new Peer(InetAddress.ofLiteral("10.1.2.3"), List.of());

        assertThat(authenticator.authenticate(inside, xfcc(GOOD)).proof()).isEqualTo("xfcc from 10.1.2.3");
        for (Peer outside : List.of(new Peer(InetAddress.ofLiteral("11.0.0.1"), List.of()), UNIX)) {
            assertThatThrownBy(() -> authenticator.authenticate(outside, xfcc(GOOD)))
                    .isInstanceOf(AuthenticationException.class)
                    .hasMessageContaining("no trusted gateway");
        }
    }

    @Test
    void aGatewayIsBelievedByItsSvidAndNoOtherWorkloadIs() throws Exception {
        var authenticator = authenticator(AuthMode.XFCC, "spiffe://example.org/gateway");
        var address = InetAddress.ofLiteral("10.1.2.3");
        var gateway = new Peer(
                address, authority.issue("spiffe://example.org/gateway").chain());
        var agent = new Peer(
                address, authority.issue("spiffe://example.org/agent/demo").chain());

        assertThat(authenticator.authenticate(gateway, xfcc(GOOD)))
                .isEqualTo(new CallerIdentity.Forwarded(
                        SpiffeId.parse("spiffe://example.org/agent/demo").orElseThrow(),
                        "spiffe://example.org/gateway"));
        assertThatThrownBy(() -> authenticator.authenticate(agent, xfcc(GOOD)))
                .hasMessageContaining("no trusted gateway");
    }

    @Test
    void whatAGatewayOnlyPassedOnIsRefused() {
        var authenticator = authenticator(AuthMode.XFCC, "spiffe://example.org/gateway");
        var gateway = new Peer(
                InetAddress.ofLiteral("10.1.2.3"),
                authority.issue("spiffe://example.org/gateway").chain());

        assertThatThrownBy(() -> authenticator.authenticate(
                        gateway,
                        xfcc(GOOD.replace("By=spiffe://example.org/gateway", "By=spiffe://example.org/other"))))
                .hasMessageContaining("not written by the gateway");
    }

    @Test
    void aCallerIsKnownByItsOwnSvidAndMayNotForwardAnother() throws Exception {
        var authenticator = authenticator(AuthMode.MTLS);
        var agent = new Peer(
                InetAddress.ofLiteral("10.1.2.3"),
                authority.issue("spiffe://example.org/agent/demo").chain());

        assertThat(authenticator.authenticate(agent, List.of()))
                .extracting(CallerIdentity::name, CallerIdentity::proof)
                .containsExactly("spiffe://example.org/agent/demo", "mtls");
        for (String name : List.of(XFCC, "X_Forwarded_Client_Cert")) {
            assertThatThrownBy(() -> authenticator.authenticate(agent, List.of(new Header(name, GOOD))))
                    .isInstanceOf(AuthenticationException.class);
        }
        assertThatThrownBy(() -> authenticator.authenticate(UNIX, List.of())).hasMessageContaining("no certificate");
    }

    @Test
    void withoutAuthenticationEverybodyIsAnonymous() throws Exception {
        assertThat(authenticator(AuthMode.NONE).authenticate(UNIX, xfcc(GOOD)).name())
                .isEqualTo("anonymous");
    }

    @Property
    void noSubjectCanChangeWhoCalls(@ForAll @StringLength(max = 40) @CharRange(from = ' ', to = '~') String subject)
            throws Exception {
        String quoted = "\"" + subject.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
        String header = GOOD.replace(";URI", ";Subject=" + quoted + ";URI");

        assertThat(authenticator(AuthMode.XFCC, "unix")
                        .authenticate(UNIX, xfcc(header))
                        .name())
                .isEqualTo("spiffe://example.org/agent/demo");
    }

    @Property
    void whateverACertificateNamesTheCallerIsThatNameOrNobody(
            @ForAll @StringLength(max = 60) @CharRange(from = ' ', to = '~') String uri) {
        String header = "By=spiffe://example.org/gateway;Hash=" + HASH + ";URI=spiffe://example.org/" + uri;
        try {
            assertThat(authenticator(AuthMode.XFCC, "unix")
                            .authenticate(UNIX, xfcc(header))
                            .name())
                    .isEqualTo("spiffe://example.org/" + uri.replaceFirst("(?i);(Cert|Chain|DNS|Subject)=.*", ""));
        } catch (AuthenticationException e) {
            assertThat(e.reason()).isNotEmpty();
        }
    }
}
