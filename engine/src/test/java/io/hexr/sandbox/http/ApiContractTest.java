package io.hexr.sandbox.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import io.hexr.sandbox.exec.ExecutionRequest;
import io.hexr.sandbox.exec.ExecutionResult;
import io.hexr.sandbox.exec.ExecutionResult.Artifact;
import io.hexr.sandbox.exec.ExecutionResult.Limit;
import io.hexr.sandbox.exec.ExecutionResult.PhaseTimings;
import io.hexr.sandbox.exec.ExecutionResult.SkippedArtifact;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.http.HealthReport.State;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ApiContractTest {
    private static final String HELLO = "{\"code\":\"hello\",\"language\":\"bash\"}";

    private ServerFixture fixture;

    @BeforeEach
    void start() throws Exception {
        fixture = new ServerFixture();
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    @Test
    void aResultHasTheSpecificationsFiveFieldsFirst() throws Exception {
        var reply = fixture.exchange(RawClient.post(HELLO));

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.header("Content-Type")).isEqualTo("application/json");
        assertThat(reply.body()).isEqualTo("""
                        {"stdout":"hello","stderr":"","exit_code":0,"execution_time_ms":12,"memory_used_mb":34.5,\
                        "execution_id":"exec-1","language":"bash","timed_out":false,"oom_killed":false,"signal":null,\
                        "stdout_truncated":false,"stderr_truncated":false,"limit":null,"artifacts":[],"artifacts_skipped":[]}""");
    }

    @Test
    void aResultCarriesItsIdAndTimingsAndIsNotCached() throws Exception {
        var reply = fixture.exchange(RawClient.post(HELLO));

        assertThat(reply.header("X-Execution-Id")).isEqualTo("exec-1");
        assertThat(reply.header("Server-Timing"))
                .matches("read;dur=\\d+\\.\\d\\d, "
                        + Pattern.quote(
                                "queue;dur=0.10, pool;desc=miss;dur=23.00, resume;dur=20.00, handshake;dur=3.00,"
                                        + " layout;dur=1.00, run;dur=12.00, destroy;dur=0.25, total;dur=")
                        + "\\d+\\.\\d\\d");
        assertThat(reply.header("Cache-Control")).isEqualTo("no-store");
        assertThat(reply.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(reply.headers()).doesNotContainKeys("server", "x-powered-by");
    }

    @Test
    void aCallThatFailsTellsItsTimeToo() throws Exception {
        assertThat(fixture.exchange(RawClient.post("{}")).header("Server-Timing"))
                .matches("total;dur=\\d+\\.\\d\\d");
    }

    @Test
    void everythingThatEndedARunIsInItsResult() throws Exception {
        fixture.engine.behaviour = request -> new ExecutionResult(
                "exec-9",
                Language.PYTHON,
                "caf\u00e9 \u0000 \u2028 \uFFFD",
                "killed",
                137,
                1_500,
                128.0,
                false,
                true,
                "SIGKILL",
                true,
                true,
                Limit.MEMORY,
                List.of(new Artifact("a/b.png", "image/png", new byte[] {1, 2, 3, (byte) 0xff})),
                List.of(new SkippedArtifact("big.bin", "too_large")),
                new PhaseTimings(
                        Duration.ZERO,
                        Duration.ofMillis(2),
                        true,
                        Duration.ofMillis(20),
                        Duration.ofMillis(3),
                        Duration.ZERO,
                        Duration.ZERO,
                        Duration.ZERO));

        var reply = fixture.exchange(RawClient.post(HELLO));
        var json = reply.json();

        assertThat(reply.header("Server-Timing"))
                .as("one that waited: its making is not part of the call")
                .contains(" queue;dur=0.00, pool;desc=hit;dur=2.00, layout;");
        assertThat(json.path("stdout").asString()).isEqualTo("caf\u00e9 \u0000 \u2028 \uFFFD");
        assertThat(json.path("exit_code").asInt()).isEqualTo(137);
        assertThat(json.path("oom_killed").asBoolean()).isTrue();
        assertThat(json.path("signal").asString()).isEqualTo("SIGKILL");
        assertThat(json.path("limit").asString()).isEqualTo("memory");
        assertThat(json.path("stdout_truncated").asBoolean()).isTrue();
        assertThat(json.path("artifacts").toString())
                .isEqualTo(
                        "[{\"path\":\"a/b.png\",\"media_type\":\"image/png\",\"size\":4,\"content_base64\":\"AQID/w==\"}]");
        assertThat(json.path("artifacts_skipped").toString())
                .isEqualTo("[{\"path\":\"big.bin\",\"reason\":\"too_large\"}]");
    }

    @Test
    void aFailureOfTheEngineBecomesAProblemWithItsCodeAndRetryAfter() throws Exception {
        fixture.engine.behaviour = request -> {
            throw new EngineException(ErrorCode.QUEUE_FULL, "All 4 sandboxes are busy.")
                    .retryAfter(Duration.ofMillis(1_500))
                    .of("exec-7");
        };

        var reply = fixture.exchange(RawClient.post(HELLO));

        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.header("Retry-After")).isEqualTo("2");
        assertThat(reply.header("X-Execution-Id")).isEqualTo("exec-7");
        assertThat(reply.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(reply.body()).isEqualTo("""
                        {"type":"tag:hexr.io,2026:sandbox:queue_full","title":"The queue is full","status":503,\
                        "detail":"All 4 sandboxes are busy.","code":"queue_full","retryable":true,"execution_id":"exec-7"}""");
    }

    @Test
    void aDefectOfTheEngineTellsNothingOfTheHost() throws Exception {
        fixture.engine.behaviour = request -> {
            throw new IllegalStateException("/var/lib/hexr-sandbox/secret");
        };

        var reply = fixture.exchange(RawClient.post(HELLO));

        assertThat(reply.status()).isEqualTo(500);
        assertThat(reply.json().path("code").asString()).isEqualTo("internal");
        assertThat(reply.body()).doesNotContain("secret", "IllegalState", "at io.hexr");
    }

    @Test
    void healthTellsVersionBackendIsolationLanguagesAndLoad() throws Exception {
        var reply = fixture.exchange("GET /health HTTP/1.1\r\nHost: x\r\n\r\n");

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.body()).isEqualTo("""
                        {"status":"ok","reason":null,"version":"1.2.3","backend":"gvisor","backend_version":"20260905",\
                        "backend_reason":"no Firecracker",\
                        "isolation":"user_space_kernel","languages":[{"language":"python","version":"3.11.2",\
                        "packages":{"numpy":"1.24.2"}}],"load":{"capacity":4,"running":1,"queue_length":256,"waiting":0},\
                        "pool":{"memory_mb":512,"used_mb":128,"failures":0,\
                        "languages":[{"language":"python","ready":1,"refilling":0,"target":2}]}}""");
    }

    @ParameterizedTest
    @CsvSource({"STARTING", "DRAINING", "BROKEN"})
    void healthIs503WithTheReasonWhenTheEngineDoesNotServe(State state) throws Exception {
        var ok = ServerFixture.healthy();
        fixture.health = new HealthReport(state, "because", ok.version(), null, List.of(), ok.load(), null);

        var reply = fixture.exchange("GET /health HTTP/1.1\r\nHost: x\r\n\r\n");

        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.json().path("status").asString()).isEqualToIgnoringCase(state.name());
        assertThat(reply.json().path("reason").asString()).isEqualTo("because");
    }

    @Test
    void languagesAreListedWithTheirVersions() throws Exception {
        var reply = fixture.exchange("GET /api/v1/languages HTTP/1.1\r\nHost: x\r\n\r\n");

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.body())
                .isEqualTo(
                        "{\"languages\":[{\"language\":\"python\",\"version\":\"3.11.2\",\"packages\":{\"numpy\":\"1.24.2\"}}]}");
    }

    @Test
    void headIsGetWithoutTheBody() throws Exception {
        try (var client = fixture.connect()) {
            var head = client.send("HEAD /health HTTP/1.1\r\nHost: x\r\n\r\n").receiveHead();
            var get = client.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n").receive();

            assertThat(head.status()).isEqualTo(200);
            assertThat(head.header("Content-Length")).isEqualTo(get.header("Content-Length"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /api/v1/exec, POST",
        "PUT, /api/v1/exec, POST",
        "DELETE, /api/v1/exec, POST",
        "OPTIONS, /api/v1/exec, POST",
        "TRACE, /api/v1/exec, POST",
        "BREW, /api/v1/exec, POST",
        "POST, /health, 'GET, HEAD'",
        "POST, /api/v1/languages, 'GET, HEAD'",
    })
    void anotherMethodIs405WithThoseAllowed(String method, String path, String allowed) throws Exception {
        var reply =
                fixture.exchange("%s %s HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}".formatted(method, path));

        assertThat(reply.status()).isEqualTo(405);
        assertThat(reply.header("Allow")).isEqualTo(allowed);
        assertThat(reply.json().path("code").asString()).isEqualTo("method_not_allowed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/x", "/api/v1/execute", "/api/v1/exec/", "/API/v1/exec", "/health/x", "/api/v1/exec%20", "/*"})
    void anotherPathIs404(String path) throws Exception {
        var reply = fixture.exchange(RawClient.post(HELLO).replace("/api/v1/exec ", path + " "));

        assertThat(reply.status()).isEqualTo(404);
        assertThat(reply.json().path("code").asString()).isEqualTo("not_found");
        assertThat(fixture.engine.requests).isEmpty();
    }

    @Test
    void aQueryDoesNotChangeThePath() throws Exception {
        assertThat(fixture.exchange(RawClient.post(HELLO).replace("/exec ", "/exec?trace=1 "))
                        .status())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/json",
                "Application/JSON",
                "application/json; charset=utf-8",
                "application/json;charset=\"UTF-8\"",
                "application/json ; charset=utf8",
                "application/json; profile=x",
                "application/json;;",
            })
    void jsonIsAcceptedHoweverItIsDeclared(String type) throws Exception {
        assertThat(fixture.exchange(RawClient.post(HELLO, "Content-Type: %s\r\n".formatted(type)))
                        .status())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Content-Type: \r\n",
                "Content-Type: text/plain\r\n",
                "Content-Type: application/x-www-form-urlencoded\r\n",
                "Content-Type: application/jsonx\r\n",
                "Content-Type: application/json; charset=iso-8859-1\r\n",
                "Content-Type: application/json; charset=utf-16\r\n",
                "Content-Type: application/json\r\nContent-Type: text/plain\r\n",
                "Content-Type: application/json; charset\r\n",
                "Content-Type: application/json; charset=\r\n",
                "Content-Type: application/json; charset=\"utf-8\r\n",
                "Content-Type: application/json\r\nContent-Encoding: \"\r\n",
                "Content-Type: application/json\r\nContent-Encoding: gzip\r\n",
                "Content-Type: application/json\r\nContent-Encoding: identity\r\nContent-Encoding: gzip\r\n",
            })
    void anotherContentTypeIs415ThatSaysWhatIsWanted(String headers) throws Exception {
        var reply = fixture.exchange(RawClient.post(HELLO, headers));

        assertThat(reply.status()).isEqualTo(415);
        assertThat(reply.json().path("code").asString()).isEqualTo("unsupported_media_type");
        assertThat(reply.json().path("detail").asString()).contains("application/json");
        assertThat(fixture.engine.requests).isEmpty();
    }

    @Test
    void aBodyCompressedOnItsWayIs415Too() throws Exception {
        var reply = fixture.exchange(RawClient.post("0\r\n\r\n", "Content-Type: application/json\r\n")
                .replace("Content-Length: 5", "Transfer-Encoding: gzip, chunked"));

        assertThat(reply.status()).as(reply.body()).isEqualTo(415);
        assertThat(reply.json().path("detail").asString()).contains("\"gzip\"");
    }

    @Test
    void aRefusedFieldIsNamedWithWhatIsLegal() throws Exception {
        var reply = fixture.exchange(RawClient.post("{\"code\":\"x\",\"language\":\"bash\",\"timeout\":31}"));

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.body()).isEqualTo("""
                        {"type":"tag:hexr.io,2026:sandbox:invalid_request","title":"The request is not valid","status":400,\
                        "detail":"timeout is 31.","code":"invalid_request","retryable":false,"field":"timeout",\
                        "legal":"a number of seconds from 0.001 to 30"}""");
    }

    @Test
    void theEngineGetsTheCheckedRequest() throws Exception {
        fixture.exchange(
                RawClient.post("{\"code\":\"c\",\"language\":\"javascript\",\"timeout\":1.5,\"memory_mb\":64}"));

        ExecutionRequest request = fixture.engine.requests.remove();
        assertThat(request.language()).isEqualTo(Language.JAVASCRIPT);
        assertThat(request.timeout()).isEqualTo(Duration.ofMillis(1_500));
        assertThat(request.memoryMb()).isEqualTo(64);
    }
}
