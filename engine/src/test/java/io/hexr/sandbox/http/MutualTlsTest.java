package io.hexr.sandbox.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.identity.AuthMode;
import io.hexr.sandbox.identity.Authenticator;
import io.hexr.sandbox.identity.SvidTls;
import io.hexr.sandbox.identity.SvidVerifier;
import io.hexr.sandbox.identity.TestAuthority;
import io.hexr.sandbox.identity.TestAuthority.Wish;
import io.hexr.sandbox.identity.TrustDomain;
import io.hexr.sandbox.identity.X509Svid;
import io.hexr.sandbox.policy.PolicySource;
import io.hexr.sandbox.telemetry.metrics.PrometheusText;
import java.io.IOException;
import java.net.Socket;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The TLS of the port: who gets in, what a rotation changes, and how long a connection lives. */
@Timeout(60)
class MutualTlsTest {
    private static final String DEMO = "spiffe://example.org/agent/demo";
    private static final String HELLO = RawClient.post("{\"code\":\"hello\",\"language\":\"bash\"}");
    private static final String HEALTH = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";
    private static final Set<TrustDomain> DOMAINS = Set.of(new TrustDomain("example.org"));

    private final TestAuthority authority = new TestAuthority("example.org");
    private @Nullable ServerFixture fixture;

    @AfterEach
    void stop() {
        if (fixture != null) {
            fixture.close();
        }
    }

    private ServerFixture serve(String... variables) throws Exception {
        var verifier = new SvidVerifier(authority, DOMAINS);
        var gate = new HttpServer.Gate(
                new Authenticator(AuthMode.MTLS, DOMAINS, List.of(), verifier),
                PolicySource.everybody(),
                SvidTls.serverContext(authority, verifier));
        fixture = new ServerFixture(ServerFixture.config(variables), gate, 1L << 30);
        return fixture;
    }

    private SSLContext client(@Nullable X509Svid svid) throws Exception {
        return ClientTls.context(svid, authority.rootCertificate());
    }

    private RawClient connect(SSLContext context) throws IOException {
        return new RawClient(context.getSocketFactory().createSocket(), server().port());
    }

    private HttpServer server() {
        return Objects.requireNonNull(fixture).server;
    }

    @Test
    void aCallerWithAnSvidIsServed() throws Exception {
        serve();
        try (var client = connect(client(authority.issue(DEMO)))) {
            assertThat(client.send(HELLO).receive().status()).isEqualTo(200);
            assertThat(client.send(HELLO).receive().header("Connection")).isEmpty();
        }
    }

    @Test
    void aCallerWithoutCertificateLearnsWhatIsMissingAndSeesOnlyTheHealth() throws Exception {
        var server = serve();
        try (var client = connect(client(null))) {
            var refused = client.send(HELLO).receive();

            assertThat(refused.status()).isEqualTo(401);
            assertThat(refused.header("WWW-Authenticate")).isEqualTo("SPIFFE");
            assertThat(refused.json().path("code").asString()).isEqualTo("unauthenticated");
            assertThat(refused.json().path("detail").asString()).contains("no certificate");
            assertThat(server.engine.requests).isEmpty();
            assertThat(client.send("GET /api/v1/languages HTTP/1.1\r\nHost: x\r\n\r\n")
                            .receive()
                            .status())
                    .isEqualTo(401);
            assertThat(client.send(HEALTH).receive().status()).isEqualTo(200);
        }
    }

    @Test
    void aCertificateThatIsNoGoodEndsTheHandshake() throws Exception {
        serve();
        var expired = Wish.of(DEMO)
                .valid(Instant.now().minusSeconds(60), Instant.now().minusSeconds(1));
        for (X509Svid wrong : List.of(
                new TestAuthority("example.org").issue(DEMO),
                authority.issue("spiffe://evil.org/agent/demo"),
                authority.issue(expired))) {
            assertThatThrownBy(() -> {
                        try (var client = connect(client(wrong))) {
                            client.send(HELLO).receive();
                        }
                    })
                    .as("certificate " + wrong.leaf().getSubjectX500Principal())
                    .isInstanceOf(IOException.class);
        }
        var read = awaitUnproven(3);
        assertThat(read.value("hexr_tls_handshake_failures_total")).isEqualTo(3);
        assertThat(read.value("hexr_authentication_failures_total", "reason", "certificate"))
                .isEqualTo(2);
        assertThat(read.value("hexr_authentication_failures_total", "reason", "trust_domain"))
                .isEqualTo(1);
        try (var client = connect(client(authority.issue(DEMO)))) {
            assertThat(client.send(HELLO).receive().status()).isEqualTo(200);
        }
    }

    /** The metrics once so many were refused for what they showed; that is counted last, maybe after the client was told. */
    private PrometheusText awaitUnproven(int count) {
        var metrics = Objects.requireNonNull(fixture).metrics;
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (true) {
            var read = PrometheusText.parse(new String(metrics.expose(null).body(), UTF_8));
            if (read.value("hexr_authentication_failures_total") >= count) {
                return read;
            }
            assertThat(System.nanoTime()).as("in time; %s", read.samples()).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void tls12AndPlainHttpAreRefused() throws Exception {
        serve();
        var socket =
                (SSLSocket) client(authority.issue(DEMO)).getSocketFactory().createSocket();
        socket.setEnabledProtocols(new String[] {"TLSv1.2"});
        assertThatThrownBy(() -> {
                    try (var client = new RawClient(socket, server().port())) {
                        client.send(HELLO).receive();
                    }
                })
                .isInstanceOf(IOException.class);
        try (var client = new RawClient(new Socket(), server().port())) {
            assertThatThrownBy(() -> client.send(HELLO).receive()).isInstanceOf(IOException.class);
        }
    }

    @Test
    void aRotationIsSeenByTheNextHandshakeAndDisturbsNoConnection() throws Exception {
        serve();
        var svid = authority.issue(DEMO);
        try (var old = connect(client(svid))) {
            assertThat(old.send(HELLO).receive().status()).isEqualTo(200);
            var before = serverCertificate(svid);
            authority.rotate();

            assertThat(old.send(HELLO).receive().status()).isEqualTo(200);
            assertThat(serverCertificate(svid)).isNotEqualTo(before);
        }
    }

    private X509Certificate serverCertificate(X509Svid own) throws Exception {
        try (var socket = (SSLSocket) client(own).getSocketFactory().createSocket("127.0.0.1", server().port())) {
            socket.startHandshake();
            return (X509Certificate) socket.getSession().getPeerCertificates()[0];
        }
    }

    @Test
    void anIdentityThatIsWithdrawnCountsNoMoreNeitherOnOpenConnectionsNorByResumption() throws Exception {
        serve();
        var context = client(authority.issue(DEMO));
        try (var open = connect(context)) {
            assertThat(open.send(HELLO).receive().status()).isEqualTo(200);
            authority.withdraw();

            assertThat(open.send(HELLO).receive().status()).isEqualTo(401);
        }
        assertThatThrownBy(() -> {
                    try (var again = connect(context)) {
                        again.send(HELLO).receive();
                    }
                })
                .isInstanceOf(IOException.class);
    }

    /** A resumed handshake has no certificates: then the client would see the server's only once. */
    @Test
    void noSessionIsResumed() throws Exception {
        serve();
        var handshakes = new AtomicInteger();
        var context = SSLContext.getInstance("TLS");
        context.init(ClientTls.keyManagers(authority.issue(DEMO)), new TrustManager[] {new Counting(handshakes)}, null);
        for (int i = 0; i < 3; i++) {
            try (var client = connect(context)) {
                assertThat(client.send(HELLO).receive().status()).isEqualTo(200);
            }
        }
        assertThat(handshakes).hasValue(3);
    }

    private static final class Counting extends X509ExtendedTrustManager {
        private final AtomicInteger count;

        Counting(AtomicInteger count) {
            this.count = count;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket) {
            count.incrementAndGet();
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {
            count.incrementAndGet();
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {
            count.incrementAndGet();
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    @Test
    void anOldConnectionIsClosedWithItsAnswer() throws Exception {
        serve("MAX_CONNECTION_AGE", "1s");
        try (var client = connect(client(authority.issue(DEMO)))) {
            var reply = client.send(HELLO).receive();
            long deadline = System.nanoTime() + 10_000_000_000L;
            while (reply.header("Connection").isEmpty() && System.nanoTime() < deadline) {
                reply = client.send(HELLO).receive();
            }

            assertThat(reply.status()).isEqualTo(200);
            assertThat(reply.header("Connection")).isEqualTo("close");
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void aConnectionDoesNotOutliveItsCertificate() throws Exception {
        serve("IDLE_TIMEOUT", "10s");
        var shortLived = Wish.of(DEMO)
                .valid(Instant.now().minusSeconds(60), Instant.now().plusSeconds(9));
        try (var client = connect(client(authority.issue(shortLived)))) {
            var reply = client.send(HELLO).receive();

            assertThat(reply.status()).isEqualTo(200);
            assertThat(reply.header("Connection")).isEqualTo("close");
        }
    }

    @Test
    void aRequestMayTakeLongerThanTheTimeForItsHead() throws Exception {
        var server = serve("IDLE_TIMEOUT", "4s");
        server.engine.behaviour = request -> {
            try {
                Thread.sleep(5_000);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return FakeEngine.result(request, "slow");
        };
        try (var client = connect(client(authority.issue(DEMO)))) {
            assertThat(client.send(HELLO).receive().status()).isEqualTo(200);
        }
    }

    @Test
    void aClientThatLeavesItsCallEndsTheRun() throws Exception {
        var left = new CountDownLatch(1);
        serve().engine.story = FakeEngine.untilItIsLeft(left);
        try (var client = connect(client(authority.issue(DEMO)))) {
            client.send(HELLO.replace("\r\n\r\n", "\r\nAccept: text/event-stream\r\n\r\n"));
            assertThat(client.receiveHead().status()).isEqualTo(200);
            assertThat(left.getCount()).as("the client is there").isOne();
        }
        assertThat(left.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aClientThatDoesNotFinishTheHandshakeIsCutOff() throws Exception {
        serve("IDLE_TIMEOUT", "500ms");
        try (var silent = new RawClient(new Socket(), server().port());
                var hesitant = new RawClient(new Socket(), server().port())) {
            hesitant.send(new byte[] {22, 3, 1, 2, 0, 1}); // the beginning of a ClientHello
            assertThat(silent.bytesUntilCutOff()).isLessThan(100);
            assertThat(hesitant.bytesUntilCutOff()).isLessThan(100);
        }
    }
}
