package io.hexr.sandbox.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.config.ConfigException;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which web pages may have code run: the same at the API and at MCP. */
@Timeout(60)
class AllowedOriginsTest {
    private static final String CALL = "{\"code\":\"\",\"language\":\"bash\"}";
    private static final String MCP_CALL =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"execute_code\",\"arguments\":%s}}"
                    .formatted(CALL);

    private ServerFixture fixture;

    @BeforeEach
    void start() throws IOException, ConfigException {
        fixture = new ServerFixture("ALLOWED_ORIGINS", "http://sandbox.example.org:8080,https://ide.example.org");
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    private RawClient.Reply call(String host, String origin) throws IOException {
        return send(RawClient.post(CALL, headers(origin)), host);
    }

    private RawClient.Reply callMcp(String host, String origin) throws IOException {
        return send(RawClient.post(MCP_CALL, headers(origin)).replace("/api/v1/exec", "/mcp"), host);
    }

    private static String headers(String origin) {
        return "Content-Type: application/json\r\nOrigin: %s\r\n".formatted(origin);
    }

    private RawClient.Reply send(String request, String host) throws IOException {
        return fixture.exchange(request.replace("Host: x", "Host: " + host));
    }

    @ParameterizedTest
    @CsvSource({
        "localhost:8080, http://localhost:8080",
        "localhost:8080, http://localhost",
        "localhost:8080, http://LocalHost:6274",
        "localhost:8080, https://127.0.0.1:8080",
        "10.1.2.3:8080, http://[::1]:3000",
        // The engine's own page.
        "10.1.2.3:8080, http://10.1.2.3:8080",
        "[fd00::1]:8080, http://[FD00::1]:8080",
        "sandbox:8080, http://sandbox:8080",
        "Sandbox, http://sandbox",
        "run.example.org, https://run.example.org",
        // Named by the operator, whatever the engine is called here.
        "sandbox.example.org:8080, http://sandbox.example.org:8080",
        "10.1.2.3, http://Sandbox.Example.org:8080",
        "10.1.2.3, https://ide.example.org",
    })
    void theseMay(String host, String origin) throws Exception {
        assertThat(call(host, origin).status()).isEqualTo(200);
        assertThat(callMcp(host, origin).status()).isEqualTo(200);
        assertThat(fixture.engine.requests).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({
        // DNS rebinding: the browser believes that this is the same origin.
        "evil.example.com, http://evil.example.com",
        "evil.example.com:8080, http://evil.example.com:8080",
        "evil.example.com., http://evil.example.com.",
        "localhost:8080, http://evil.example.com",
        "localhost:8080, https://evil.example.com",
        "localhost:8080, http://localhost.evil.example.com",
        "localhost:8080, http://127.0.0.1.evil.example.com",
        "localhost:8080, http://localhost@evil.example.com",
        "localhost:8080, http://[::2]",
        "localhost:8080, null",
        "localhost:8080, ''",
        "localhost, localhost",
        "localhost, ftp://localhost",
        "localhost, http://localhost/",
        // Another port of the same host is another page.
        "10.1.2.3:8080, http://10.1.2.3:8081",
        "10.1.2.3:8080, http://sandbox.example.org",
        "localhost:8080, 'http://127.0.0.1\r\nOrigin: http://evil.example.com'",
        "localhost:8080, 'http://127.0.0.1, http://evil.example.com'",
    })
    void theseMayNot(String host, String origin) throws Exception {
        for (var reply : new RawClient.Reply[] {call(host, origin), callMcp(host, origin)}) {
            assertThat(reply.status()).as(reply.body()).isEqualTo(403);
            assertThat(reply.json().path("code").asString()).isEqualTo("forbidden");
            assertThat(reply.json().path("field").asString()).isEqualTo("Origin");
            assertThat(reply.json().path("legal").asString()).contains("ALLOWED_ORIGINS");
        }
        assertThat(fixture.engine.requests).isEmpty();
    }

    @Test
    void whatRunsNothingIsReadByWhomeverTheBrowserLets() throws Exception {
        var reply = fixture.exchange("GET /health HTTP/1.1\r\nHost: x\r\nOrigin: http://evil.example.com\r\n\r\n");

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.headers()).doesNotContainKey("access-control-allow-origin");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"sandbox.example.org", "http://a.example/", "http://a.example/x", "ftp://a.example", "*", "null"
            })
    void whatIsNoOriginStopsTheStart(String value) {
        assertThatThrownBy(() -> ServerFixture.config("ALLOWED_ORIGINS", value))
                .hasMessageContaining("ALLOWED_ORIGINS");
    }
}
