package io.hexr.sandbox.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.identity.AuthMode;
import io.hexr.sandbox.identity.Authenticator;
import io.hexr.sandbox.identity.CallerIdentity;
import io.hexr.sandbox.identity.SvidSource;
import io.hexr.sandbox.identity.SvidTls;
import io.hexr.sandbox.identity.SvidVerifier;
import io.hexr.sandbox.identity.TrustDomain;
import io.hexr.sandbox.identity.TrustedGateway;
import io.hexr.sandbox.identity.X509Svid;
import io.hexr.sandbox.identity.workload.WorkloadApiSource;
import io.hexr.sandbox.policy.PolicySource;
import io.hexr.sandbox.telemetry.audit.Audit;
import io.hexr.sandbox.telemetry.audit.AuditRecord;
import io.hexr.sandbox.telemetry.trace.OtlpReceiver;
import io.hexr.sandbox.telemetry.trace.Tracing;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The identity of callers with a real SPIRE and a real Envoy: who is let in, under which name, and who is not. */
@Tag("spire")
@Timeout(300)
class SpireTest {
    private static final int DEMO_UID = 20_011;
    private static final int BRIEF_UID = 20_012;
    private static final int BRIEF_ENGINE_UID = 0;
    private static final String DEMO = "spiffe://example.org/agent/demo";
    private static final String GATEWAY = "spiffe://example.org/gateway";
    private static final Set<TrustDomain> DOMAINS = Set.of(new TrustDomain("example.org"));
    private static final String HELLO = "{\"code\":\"hello\",\"language\":\"bash\"}";
    private static final String SPOOF =
            "x-forwarded-client-cert: By=spiffe://evil;URI=spiffe://example.org/agent/victim\r\n";

    /** SPIRE renews at half of it: an SVID every ten to fifteen seconds. */
    private static final Duration SHORT = Duration.ofSeconds(30);

    private static final List<String> MODES = Stream.of(
                    "SANITIZE_SET", "APPEND_FORWARD", "FORWARD_ONLY", "ALWAYS_FORWARD_ONLY", "UNSET")
            .flatMap(mode -> Stream.of(mode + "_MTLS", mode + "_PLAIN"))
            .toList();

    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

    private static final LastRecord RECORDS = new LastRecord();
    private static OtlpReceiver collector;
    private static Tracing tracing;
    private static SpireChain chain;
    private static SvidSource source;
    private static ServerFixture engine;
    private static SSLContext demo;
    private static int gatewayPort;
    private static final Map<String, Integer> MODE_PORTS = new HashMap<>();

    @BeforeAll
    static void start() throws Exception {
        chain = new SpireChain();
        chain.entry("sandbox-engine", BRIEF_ENGINE_UID, SHORT);
        chain.entry("gateway", SpireChain.GATEWAY_UID, SHORT);
        chain.entry("agent/demo", DEMO_UID, Duration.ofHours(1));
        source = WorkloadApiSource.open(chain.agentSocket(), Duration.ofSeconds(30));
        collector = new OtlpReceiver();
        tracing = Tracing.open(
                ServerFixture.config(
                                "OTEL_EXPORTER_OTLP_ENDPOINT",
                                collector.endpoint(),
                                "OTEL_TRACES_SAMPLER",
                                "parentbased_always_on")
                        .tracing(),
                new Tracing.Service("1.2.3", "gvisor", "user_space_kernel"));
        engine = serve(AuthMode.XFCC, List.of(TrustedGateway.parse(GATEWAY).orElseThrow()));
        demo = ClientTls.context(chain.fetch(DEMO_UID), chain.authority());

        var values = new HashMap<String, String>();
        values.put("ENGINE_PORT", Integer.toString(engine.server.port()));
        var ports = SpireChain.freePorts(1 + MODES.size());
        gatewayPort = ports.getFirst();
        values.put("GATEWAY_PORT", Integer.toString(gatewayPort));
        chain.startEnvoy(Path.of("../examples/envoy-spire/envoy.yaml"), values);
        for (int i = 0; i < MODES.size(); i++) {
            MODE_PORTS.put(MODES.get(i), ports.get(1 + i));
            values.put(MODES.get(i), Integer.toString(ports.get(1 + i)));
        }
        chain.startEnvoy(Path.of("src/test/resources/io/hexr/sandbox/http/envoy-modes.yaml"), values);
        awaitGateway(gatewayPort);
        awaitGateway(modePort("SANITIZE_SET_MTLS"));
    }

    @AfterAll
    static void stop() throws Exception {
        try (var _ = chain;
                var _ = source;
                var _ = collector;
                var _ = tracing) {
            if (engine != null) {
                engine.close();
            }
        }
    }

    private static ServerFixture serve(AuthMode mode, List<TrustedGateway> gateways) throws Exception {
        var verifier = new SvidVerifier(source, DOMAINS);
        var gate = new HttpServer.Gate(
                new Authenticator(mode, DOMAINS, gateways, verifier),
                PolicySource.everybody(),
                SvidTls.serverContext(source, verifier));
        return new ServerFixture(
                ServerFixture.config("IDLE_TIMEOUT", "10s", "MAX_CONNECTION_AGE", "10s"),
                gate,
                RECORDS,
                tracing,
                1L << 30);
    }

    /** Envoy accepts before it has its SVID, and then resets. */
    private static void awaitGateway(int port) throws Exception {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (true) {
            try {
                if (exchange(demo, port, RawClient.post(HELLO)).status() == 200) {
                    return;
                }
            } catch (IOException e) {
                // Not yet.
            }
            if (System.nanoTime() > deadline) {
                throw new IOException(chain.log("envoy.yaml") + chain.log("envoy-modes.yaml"));
            }
            Thread.sleep(100);
        }
    }

    private static RawClient.Reply exchange(SSLContext tls, int port, String request) throws IOException {
        try (var client = new RawClient(tls.getSocketFactory().createSocket(), port)) {
            return client.send(request).receive();
        }
    }

    private static int modePort(String mode) {
        return Objects.requireNonNull(MODE_PORTS.get(mode), mode);
    }

    private static String post(String headers) {
        return RawClient.post(HELLO, "Content-Type: application/json\r\n" + headers);
    }

    private static CallerIdentity lastCaller() {
        return engine.engine.requests.stream()
                .reduce((_, last) -> last)
                .orElseThrow()
                .caller()
                .identity();
    }

    @Test
    void anAgentBehindTheGatewayIsKnownByItsName() throws Exception {
        assertThat(exchange(demo, gatewayPort, post("")).status()).isEqualTo(200);

        assertThat(lastCaller().name()).isEqualTo(DEMO);
        assertThat(lastCaller().proof()).isEqualTo("xfcc from " + GATEWAY);
        assertThat(RECORDS.last())
                .extracting(AuditRecord::caller, AuditRecord::proof, AuditRecord::outcome)
                .containsExactly(DEMO, "xfcc from " + GATEWAY, "ok");
    }

    @Test
    void theTraceOfAnAgentNamesItAndGoesOnBehindTheGateway() throws Exception {
        String context = "traceparent: 00-%s-00f067aa0ba902b7-01\r\n".formatted(TRACE);
        assertThat(exchange(demo, gatewayPort, post(context)).status()).isEqualTo(200);

        var spans = collector.awaitTrace(TRACE, "POST /api/v1/exec");
        assertThat(spans.span("POST /api/v1/exec").attributes()).containsEntry("enduser.id", DEMO);
        assertThat(RECORDS.last())
                .extracting(AuditRecord::caller, AuditRecord::traceId)
                .containsExactly(DEMO, TRACE);
    }

    @Test
    void aGatewayThatIsSetUpRightReplacesWhatAnAgentClaims() throws Exception {
        assertThat(exchange(demo, gatewayPort, post(SPOOF)).status()).isEqualTo(200);

        assertThat(lastCaller().name()).isEqualTo(DEMO);
        assertThat(exchange(demo, gatewayPort, post(SPOOF.replace('-', '_'))).status())
                .isEqualTo(400);
    }

    /** The rows of what was seen with Envoy; however wrong a gateway is set up, nobody becomes the victim. */
    @ParameterizedTest
    @CsvSource({
        "SANITIZE_SET_MTLS,         200, 200, 401",
        "APPEND_FORWARD_MTLS,       200, 401, 401",
        "FORWARD_ONLY_MTLS,         401, 401, 401",
        "ALWAYS_FORWARD_ONLY_MTLS,  401, 401, 401",
        "UNSET_MTLS,                401, 401, 401",
        "SANITIZE_SET_PLAIN,        401, 401, 401",
        "APPEND_FORWARD_PLAIN,      401, 401, 401",
        "FORWARD_ONLY_PLAIN,        401, 401, 401",
        "ALWAYS_FORWARD_ONLY_PLAIN, 401, 401, 401",
        "UNSET_PLAIN,               401, 401, 401"
    })
    void noModeOfForwardingMakesAnAgentAnother(String mode, int honest, int spoofed, int lookAlike) throws Exception {
        int port = modePort(mode);
        engine.engine.requests.clear();

        assertThat(status(mode, port, "")).as("honest").isEqualTo(honest);
        assertThat(status(mode, port, SPOOF)).as("spoofed").isEqualTo(spoofed);
        assertThat(status(mode, port, SPOOF + SPOOF)).as("spoofed twice").isEqualTo(spoofed);
        assertThat(status(mode, port, "x-forwarded-client-cert: Subject=\"CN=x\r\n"))
                .as("quote left open")
                .isEqualTo(spoofed);
        assertThat(status(mode, port, SPOOF.replace("x-forwarded-client-cert", "X_Forwarded_Client_Cert")))
                .as("look-alike")
                .isEqualTo(lookAlike);
        assertThat(engine.engine.requests)
                .allSatisfy(request -> assertThat(request.caller().name()).isEqualTo(DEMO));
    }

    private static int status(String mode, int port, String headers) throws IOException {
        if (mode.endsWith("_MTLS")) {
            return exchange(demo, port, post(headers)).status();
        }
        try (var client = new RawClient(port)) {
            return client.send(post(headers)).receive().status();
        }
    }

    @Test
    void aStreamPassesTheGatewayAsItIsToldAndAnAgentThatLeavesItEndsItsRun() throws Exception {
        var left = new CountDownLatch(1);
        var usual = engine.engine.story;
        engine.engine.story = FakeEngine.untilItIsLeft(left);
        try (var client = EventClient.on(new RawClient(demo.getSocketFactory().createSocket(), gatewayPort), HELLO)) {
            assertThat(client.next().name()).isEqualTo("start");
            assertThat(client.next().text()).isEqualTo("word");
            assertThat(left.getCount()).as("the agent is there").isOne();
        } finally {
            engine.engine.story = usual;
        }
        assertThat(left.await(20, TimeUnit.SECONDS)).isTrue();
        // Else it might become the last in another test.
        await("the record", () -> RECORDS.last().outcome().equals("cancelled"));
    }

    @Test
    void anAgentThatGoesPastTheGatewayIsNotBelieved() throws Exception {
        String claim = "x-forwarded-client-cert: By=%s;Hash=%s;URI=%s\r\n".formatted(GATEWAY, "ab".repeat(32), DEMO);
        var reply = exchange(demo, engine.server.port(), post(claim));

        assertThat(reply.status()).isEqualTo(401);
        assertThat(reply.json().path("detail").asString()).contains("no trusted gateway");
    }

    @Test
    void anAgentMayShowItsOwnSvidWhereTheEngineTakesThem() throws Exception {
        try (var direct = serve(AuthMode.MTLS, List.of())) {
            assertThat(exchange(demo, direct.server.port(), post("")).status()).isEqualTo(200);
            assertThat(direct.engine.requests.element().caller().identity())
                    .extracting(CallerIdentity::name, CallerIdentity::proof)
                    .containsExactly(DEMO, "mtls");
            assertThat(exchange(ClientTls.context(null, chain.authority()), direct.server.port(), post(""))
                            .status())
                    .isEqualTo(401);
        }
    }

    @Test
    void renewalsUnderLoadFailNoRequest() throws Exception {
        var certificates = new HashSet<BigInteger>();
        var renewed = new CountDownLatch(1);
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> callers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                callers.add(executor.submit(() -> callUntil(renewed)));
            }
            try {
                await("three certificates of the engine", () -> {
                    certificates.add(leaf().getSerialNumber());
                    return certificates.size() >= 3;
                });
            } finally {
                renewed.countDown();
            }
            for (var caller : callers) {
                assertThat(caller.get()).isGreaterThan(20);
            }
        }
    }

    private static X509Certificate leaf() {
        return source.current().orElseThrow().svid().leaf();
    }

    /** How many calls were made; the first that fails ends it. */
    private static int callUntil(CountDownLatch end) throws IOException, InterruptedException {
        int calls = 0;
        while (end.getCount() > 0) {
            try (var client = new RawClient(demo.getSocketFactory().createSocket(), gatewayPort)) {
                for (int i = 0; i < 20 && end.getCount() > 0; i++, calls++) {
                    var reply = client.send(post("")).receive();
                    assertThat(reply.status())
                            .as("call %d: %s", calls, reply.body())
                            .isEqualTo(200);
                    Thread.sleep(20);
                }
            }
        }
        return calls;
    }

    @Test
    void aCallerWhoseEntryIsDeletedIsRefusedWhenItsSvidEnds() throws Exception {
        String entry = chain.entry("agent/brief", BRIEF_UID, Duration.ofSeconds(20));
        X509Svid svid = chain.fetch(BRIEF_UID);
        var tls = ClientTls.context(svid, chain.authority());
        try (var direct = serve(AuthMode.MTLS, List.of())) {
            assertThat(exchange(tls, direct.server.port(), post("")).status()).isEqualTo(200);
            chain.delete(entry);

            await("the agent forgets the entry", () -> !chain.knows(BRIEF_UID));
            await(
                    "the last SVID has ended",
                    () -> svid.leaf().getNotAfter().toInstant().isBefore(Instant.now()));
            assertThatThrownBy(() -> exchange(tls, direct.server.port(), post("")))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> exchange(tls, gatewayPort, post(""))).isInstanceOf(IOException.class);
        }
    }

    private static final class LastRecord implements Audit {
        private volatile @Nullable AuditRecord last;

        AuditRecord last() {
            return Objects.requireNonNull(last);
        }

        @Override
        public void requireWritable() {}

        @Override
        public void write(AuditRecord call) {
            last = call;
        }

        @Override
        public Counts counts() {
            return Counts.NOTHING;
        }

        @Override
        public void close() {}
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private static void await(String what, Condition condition) throws Exception {
        long deadline = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            Thread.sleep(200);
        }
    }
}
