package io.hexr.sandbox.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.identity.AuthMode;
import io.hexr.sandbox.identity.Authenticator;
import io.hexr.sandbox.identity.SvidSource;
import io.hexr.sandbox.identity.SvidVerifier;
import io.hexr.sandbox.policy.PolicySource;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How the page is served; it is a small one of the test's resources. The real one has tests in playground/test. */
@Timeout(30)
class PlaygroundEndpointTest {
    private static final String TITLE = "The page that the tests of the engine serve";

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
    void thePageIsServedWithItsPolicyAndForNobodysFrame() throws Exception {
        var reply = get();

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.header("Content-Type")).isEqualTo("text/html; charset=utf-8");
        assertThat(reply.header("Content-Security-Policy")).contains("default-src 'none'", "frame-ancestors 'none'");
        assertThat(reply.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(reply.header("Referrer-Policy")).isEqualTo("no-referrer");
        assertThat(reply.header("Cross-Origin-Opener-Policy")).isEqualTo("same-origin");
        assertThat(reply.body()).contains(TITLE);
    }

    @Test
    void itIsCompressedForWhoTakesThat() throws Exception {
        for (String taken : List.of("gzip", "br, gzip;q=0.5")) {
            var reply = get("Accept-Encoding: " + taken);
            assertThat(reply.header("Content-Encoding")).as(taken).isEqualTo("gzip");
            assertThat(reply.body()).as(taken).doesNotContain(TITLE);
        }
        for (String refused : List.of("br", "gzip;q=0", "gzip;q=0.000", "gzip;q=\"", "x-gzip", "identity")) {
            var reply = get("Accept-Encoding: " + refused);
            assertThat(reply.header("Content-Encoding")).as(refused).isEmpty();
            assertThat(reply.body()).as(refused).contains(TITLE);
        }
        assertThat(get().header("Vary")).isEqualTo("Accept-Encoding");
    }

    @Test
    void whoHasThePageIsToldSo() throws Exception {
        String etag = get().header("ETag");

        for (String known : List.of(etag, "\"other\", " + etag, "*")) {
            var reply = get("If-None-Match: " + known);
            assertThat(reply.status()).as(known).isEqualTo(304);
            assertThat(reply.header("ETag")).as(known).isEqualTo(etag);
            assertThat(reply.header("Content-Security-Policy")).as(known).isNotEmpty();
        }
        for (String other : List.of("W/\"other\"", "\"", etag.replace("\"", ""))) {
            assertThat(get("If-None-Match: " + other).status()).as(other).isEqualTo(200);
        }
    }

    @Test
    void switchedOffItIsAPathLikeAnyThatDoesNotExist() throws Exception {
        try (var without = new ServerFixture("PLAYGROUND", "false")) {
            var reply = without.exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n");

            assertThat(reply.status()).isEqualTo(404);
            assertThat(reply.json().path("code").asString()).isEqualTo("not_found");
            assertThat(reply.json().path("detail").asString()).doesNotContain("Paths: /,");
        }
    }

    @Test
    void whoIsNotLetInDoesNotGetIt() throws Exception {
        var nobody = new HttpServer.Gate(
                new Authenticator(AuthMode.XFCC, Set.of(), List.of(), new SvidVerifier(SvidSource.none(), Set.of())),
                PolicySource.everybody(),
                null);
        try (var closed = new ServerFixture(ServerFixture.config(), nobody, 1L << 30)) {
            var reply = closed.exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n");

            assertThat(reply.status()).isEqualTo(401);
            assertThat(reply.body()).doesNotContain(TITLE);
        }
    }

    private RawClient.Reply get(String... headers) throws Exception {
        String more = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
        return fixture.exchange("GET / HTTP/1.1\r\nHost: x\r\n%s\r\n".formatted(more));
    }
}
