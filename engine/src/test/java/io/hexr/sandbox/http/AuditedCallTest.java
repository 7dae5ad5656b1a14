package io.hexr.sandbox.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import io.hexr.sandbox.identity.AuthMode;
import io.hexr.sandbox.identity.Authenticator;
import io.hexr.sandbox.identity.SvidSource;
import io.hexr.sandbox.identity.SvidVerifier;
import io.hexr.sandbox.identity.TrustDomain;
import io.hexr.sandbox.identity.TrustedGateway;
import io.hexr.sandbox.policy.PolicySource;
import io.hexr.sandbox.telemetry.audit.Audit;
import io.hexr.sandbox.telemetry.audit.AuditRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every call leaves one record before it is answered, and none runs that cannot. */
@Timeout(60)
class AuditedCallTest {
    private static final String BODY = "{\"code\":\"print(1)\",\"language\":\"python\",\"timeout\":2,\"memory_mb\":64}";
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

    private final Records records = new Records();

    /** Keeps what it is given, while it can. */
    private static final class Records implements Audit {
        private final List<AuditRecord> kept = new ArrayList<>();
        private volatile int room = Integer.MAX_VALUE;
        private int offered;

        @Override
        public synchronized void requireWritable() throws IOException {
            if (room == 0) {
                throw new IOException("No space left on device");
            }
        }

        @Override
        public synchronized void write(AuditRecord call) throws IOException {
            offered++;
            requireWritable();
            room--;
            kept.add(call);
        }

        @Override
        public Counts counts() {
            return Counts.NOTHING;
        }

        @Override
        public void close() {}
    }

    @Test
    void aRunIsRecordedWithWhoWhatAndHow() throws Exception {
        try (var fixture = new ServerFixture(records)) {
            String trace = "traceparent: 00-%s-00f067aa0ba902b7-01\r\n".formatted(TRACE);
            assertThat(fixture.exchange(RawClient.post(BODY, "Content-Type: application/json\r\n" + trace))
                            .status())
                    .isEqualTo(200);
        }
        assertThat(records.kept).hasSize(1);
        var record = records.kept.getFirst();
        assertThat(record.outcome()).isEqualTo("ok");
        assertThat(record.executionId()).isEqualTo("exec-1");
        assertThat(record.caller()).isEqualTo("anonymous");
        assertThat(record.peer()).isEqualTo("127.0.0.1");
        assertThat(record.traceId()).isEqualTo(TRACE);
        // printf 'print(1)' | sha256sum
        assertThat(record.program())
                .isEqualTo(new AuditRecord.Program(
                        "python",
                        "d287bb7f9d15abdc5b6e98536263815744b6ef21c8f3c839fc434ca70d8efe99",
                        8,
                        2_000,
                        64,
                        "print(1)"));
        assertThat(record.run()).isEqualTo(new AuditRecord.Run(0, null, 12, 34.5));
    }

    @Test
    void everyRefusalIsRecordedOnce() throws Exception {
        try (var fixture = new ServerFixture(records)) {
            fixture.engine.behaviour = request -> {
                throw new EngineException(ErrorCode.QUEUE_FULL, "full").of("exec-2");
            };
            fixture.exchange(RawClient.post(BODY));
            fixture.exchange(RawClient.post("{"));
            fixture.engine.behaviour = request -> {
                throw new IllegalStateException("a defect");
            };
            fixture.exchange(RawClient.post(BODY));
            fixture.engine.behaviour = request -> {
                throw new OutOfMemoryError("as the test asked");
            };
            assertThat(fixture.exchange(RawClient.post(BODY)).status()).isEqualTo(500);
            fixture.exchange("GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
        }
        assertThat(records.kept)
                .extracting(AuditRecord::outcome)
                .containsExactly("queue_full", "invalid_json", "internal", "internal");
        assertThat(records.kept.getFirst().executionId()).isEqualTo("exec-2");
        assertThat(records.kept).extracting(AuditRecord::run).containsOnlyNulls();
    }

    @Test
    void aCallerThatIsNotProvenIsRecordedWithTheReasonAndNoName() throws Exception {
        try (var fixture = new ServerFixture(ServerFixture.config(), callersOfAGateway(), records, 1L << 30)) {
            assertThat(fixture.exchange(RawClient.post(BODY)).status()).isEqualTo(401);
        }
        assertThat(records.kept).hasSize(1);
        assertThat(records.kept.getFirst().outcome()).isEqualTo("unauthenticated");
        assertThat(records.kept.getFirst().caller()).isNull();
        assertThat(records.kept.getFirst().reason()).contains("missing");
    }

    private static HttpServer.Gate callersOfAGateway() {
        var domains = Set.of(new TrustDomain("example.org"));
        return new HttpServer.Gate(
                new Authenticator(
                        AuthMode.XFCC,
                        domains,
                        List.of(TrustedGateway.parse("127.0.0.1").orElseThrow()),
                        new SvidVerifier(SvidSource.none(), domains)),
                PolicySource.everybody(),
                null);
    }

    /** The log keeps what it could not write: whoever is not let in could fill the memory with it. */
    @Test
    void whileTheDiskIsFullTheLogIsNotGivenTheRecordsOfThoseWhoAreNotLetIn() throws Exception {
        records.room = 0;
        try (var fixture = new ServerFixture(ServerFixture.config(), callersOfAGateway(), records, 1L << 30)) {
            var reply = fixture.exchange(RawClient.post(BODY));

            assertThat(reply.status()).isEqualTo(503);
            assertThat(reply.json().path("code").asString()).isEqualTo("audit_unavailable");
        }
        assertThat(records.offered).as("records to keep until there is room").isZero();
    }

    @Test
    void aFullDiskIsA503BeforeTheCodeRuns() throws Exception {
        records.room = 0;
        try (var fixture = new ServerFixture(records)) {
            var reply = fixture.exchange(RawClient.post(BODY));

            assertThat(reply.status()).isEqualTo(503);
            assertThat(reply.json().path("code").asString()).isEqualTo("audit_unavailable");
            assertThat(reply.header("Retry-After")).isNotEmpty();
            assertThat(fixture.engine.requests).isEmpty();
        }
    }

    @Test
    void aDiskThatFillsDuringAStreamedRunIsAnErrorInsteadOfTheResult() throws Exception {
        try (var fixture = new ServerFixture(records)) {
            fixture.engine.behaviour = request -> {
                records.room = 0;
                return FakeEngine.result(request, "seen");
            };
            try (var client = EventClient.call(fixture.server.port(), BODY)) {
                var events = client.rest();
                assertThat(events).extracting(EventClient.Event::name).containsExactly("start", "stdout", "error");
                assertThat(events.getLast().data().path("code").asString()).isEqualTo("audit_unavailable");
            }
        }
    }

    @Test
    void aStreamsRecordIsThereBeforeItsResult() throws Exception {
        try (var fixture = new ServerFixture(records);
                var client = EventClient.call(fixture.server.port(), BODY)) {
            while (!client.next().name().equals("result")) {}
            assertThat(records.kept).extracting(AuditRecord::outcome).containsExactly("ok");
        }
    }

    @Test
    void aDiskThatFillsDuringTheRunIsA503InsteadOfTheResult() throws Exception {
        try (var fixture = new ServerFixture(records)) {
            fixture.engine.behaviour = request -> {
                records.room = 0;
                return FakeEngine.result(request, "secret");
            };
            var reply = fixture.exchange(RawClient.post(BODY));

            assertThat(reply.status()).isEqualTo(503);
            assertThat(reply.body()).contains("audit_unavailable").doesNotContain("secret");
        }
    }
}
