package io.hexr.sandbox.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.QuotaLevel;
import io.hexr.sandbox.identity.AuthMode;
import io.hexr.sandbox.identity.Authenticator;
import io.hexr.sandbox.identity.SvidSource;
import io.hexr.sandbox.identity.SvidVerifier;
import io.hexr.sandbox.policy.PolicySource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a caller is told whom the policy restricts. */
@Timeout(60)
class PolicyAnswersTest {
    @TempDir
    private Path directory;

    private final List<PolicySource> sources = new ArrayList<>();

    @AfterEach
    void stop() {
        sources.forEach(PolicySource::close);
    }

    private ServerFixture serve(String rule) throws Exception {
        Path file = Files.writeString(
                directory.resolve("policy.yaml"), "version: 1\ncallers: [{match: %s}]\n".formatted(rule));
        var source = PolicySource.open(file);
        sources.add(source);
        var gate = new HttpServer.Gate(
                new Authenticator(AuthMode.NONE, Set.of(), List.of(), new SvidVerifier(SvidSource.none(), Set.of())),
                source,
                null);
        return new ServerFixture(ServerFixture.config(), gate, 1L << 30);
    }

    @Test
    void everyAnswerToACallerWithQuotasTellsWhatIsLeft() throws Exception {
        try (var fixture = serve("anonymous")) {
            assertThat(fixture.exchange(RawClient.post("{\"code\":\"\",\"language\":\"bash\"}"))
                            .headers())
                    .doesNotContainKeys("ratelimit", "ratelimit-policy");
            fixture.engine.quotas = List.of(
                    new QuotaLevel(
                            "requests_per_second",
                            QuotaLevel.Unit.REQUESTS,
                            1,
                            Duration.ofSeconds(10),
                            0,
                            Duration.ofMillis(9_001)),
                    new QuotaLevel("concurrent", QuotaLevel.Unit.CONCURRENT_REQUESTS, 3, null, 2, null));

            String stream = "Content-Type: application/json\r\nAccept: text/event-stream\r\n";
            String ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
            for (String request : List.of(
                    RawClient.post("{\"code\":\"\",\"language\":\"bash\"}"),
                    RawClient.post("{\"code\":\"\",\"language\":\"cobol\"}"),
                    RawClient.post("{\"code\":\"\",\"language\":\"cobol\"}", stream),
                    RawClient.post(ping).replace("/api/v1/exec", "/mcp"))) {
                var reply = fixture.exchange(request);
                assertThat(reply.header("RateLimit-Policy"))
                        .isEqualTo("\"requests_per_second\";q=1;w=10, \"concurrent\";q=3;qu=\"concurrent-requests\"");
                assertThat(reply.header("RateLimit")).isEqualTo("\"requests_per_second\";r=0;t=10, \"concurrent\";r=2");
            }
        }
    }

    @Test
    void whomNoRuleIsForIsForbiddenAllButTheHealth() throws Exception {
        try (var fixture = serve("spiffe://example.org/*")) {
            var reply = fixture.exchange(RawClient.post("{\"code\":\"\",\"language\":\"bash\"}"));

            assertThat(reply.status()).isEqualTo(403);
            assertThat(reply.json().path("code").asString()).isEqualTo("forbidden");
            assertThat(fixture.engine.requests).isEmpty();
            assertThat(fixture.exchange("GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
                            .status())
                    .isEqualTo(200);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "language  | \"language\":\"bash\"",
                "timeout   | \"language\":\"python\",\"timeout\":2",
                "memory_mb | \"language\":\"python\",\"memory_mb\":65"
            })
    void whatTheRuleDoesNotAllowIsForbiddenWithWhatItDoes(String field, String members) throws Exception {
        try (var fixture = serve("anonymous, languages: [python], max_timeout: 1.5, max_memory_mb: 64")) {
            var reply = fixture.exchange(RawClient.post("{\"code\":\"\"," + members + "}"));

            assertThat(reply.status()).as(reply.body()).isEqualTo(403);
            assertThat(reply.json().path("field").asString()).isEqualTo(field);
            assertThat(reply.json().path("legal").asString()).isNotBlank();
        }
    }

    @Test
    void whoAsksForNothingGetsNoMoreThanItMayHave() throws Exception {
        try (var fixture = serve("anonymous, max_timeout: 1.5, max_memory_mb: 64")) {
            assertThat(fixture.exchange(RawClient.post("{\"code\":\"\",\"language\":\"bash\"}"))
                            .status())
                    .isEqualTo(200);

            var request = fixture.engine.requests.element();
            assertThat(request.timeout()).isEqualTo(Duration.ofMillis(1_500));
            assertThat(request.memoryMb()).isEqualTo(64);
        }
    }

    @Test
    void aQuotaThatIsUsedUpIsToldInTheHeaders() throws Exception {
        try (var fixture = new ServerFixture()) {
            fixture.engine.quotas =
                    List.of(new QuotaLevel("concurrent", QuotaLevel.Unit.CONCURRENT_REQUESTS, 1, null, 0, null));
            fixture.engine.behaviour = request -> {
                throw EngineException.overQuota(
                                "concurrent", "This caller may have 1 calls at once.", "1 calls at once")
                        .retryAfter(Duration.ofSeconds(3));
            };
            var reply = fixture.exchange(RawClient.post("{\"code\":\"\",\"language\":\"bash\"}"));

            assertThat(reply.status()).isEqualTo(429);
            assertThat(reply.header("Retry-After")).isEqualTo("3");
            assertThat(reply.header("RateLimit")).isEqualTo("\"concurrent\";r=0");
            assertThat(reply.json().path("field").asString()).isEqualTo("concurrent");
        }
    }
}
