package io.hexr.sandbox.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hexr.sandbox.client.FakeService.Reply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ErrorsTest {
    private FakeService service;
    private SandboxClient client;

    @BeforeEach
    void open() throws Exception {
        service = new FakeService();
        client = SandboxClient.builder().url(service.url()).maxRetries(0).build();
    }

    @AfterEach
    void close() {
        client.close();
        service.close();
    }

    @ParameterizedTest
    @CsvSource({
        "302, ServiceException",
        "400, InvalidRequestException",
        "401, AccessDeniedException",
        "403, AccessDeniedException",
        "404, InvalidRequestException",
        "413, InvalidRequestException",
        "429, QuotaExceededException",
        "500, ExecutionFailedException",
        "502, ExecutionFailedException",
        "503, UnavailableException",
        "505, InvalidRequestException"
    })
    void eachStatusHasItsClass(int status, String name) {
        service.reply(FakeService.problem(status, "some_code"));

        var error = catchThrowableOfType(ServiceException.class, () -> client.exec("x"));

        assertThat(error.getClass().getSimpleName()).isEqualTo(name);
        assertThat(error.status()).isEqualTo(status);
        assertThat(error.code()).isEqualTo("some_code");
    }

    @Test
    void anErrorSaysAllThatTheServiceSaid() {
        service.reply(
                Reply.of(400, "application/problem+json; charset=utf-8", """
                        {"type": "tag:x", "title": "T", "status": 400, "detail": "D.", "code": "c", "retryable": true, "field": "f", "legal": "l",
                         "execution_id": "exec-1"}""").with("Retry-After", "7"));

        var error = catchThrowableOfType(InvalidRequestException.class, () -> client.exec("x"));

        assertThat(error).hasMessage("D. [c] Legal: l (exec-1)");
        assertThat(error.title()).isEqualTo("T");
        assertThat(error.detail()).isEqualTo("D.");
        assertThat(error.field()).isEqualTo("f");
        assertThat(error.legal()).isEqualTo("l");
        assertThat(error.retryable()).isTrue();
        assertThat(error.executionId()).isEqualTo("exec-1");
        assertThat(error.retryAfter()).isEqualTo(Duration.ofSeconds(7));
    }

    @ParameterizedTest
    @CsvSource({
        "text/html, <html>",
        "application/problem+json, {",
        "application/problem+json, []",
        "application/json, '{\"code\": \"c\"}'"
    })
    void whatAProxySaysHasACodeOfItsOwn(String mediaType, String body) {
        service.reply(Reply.of(502, mediaType, body));

        assertThatThrownBy(() -> client.exec("x"))
                .isInstanceOf(ExecutionFailedException.class)
                .hasFieldOrPropertyWithValue("code", "http_502")
                .hasMessage("Something answered with status 502 that is not the service. [http_502]");
    }

    @Test
    void aRedirectionIsNotFollowed() {
        service.reply(Reply.of(307, "text/html", "").with("Location", service.url() + "/elsewhere"));

        assertThatThrownBy(() -> client.exec("x")).hasFieldOrPropertyWithValue("code", "http_307");
        assertThat(service.asked()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "soon", "Wed, 21 Oct 2026 07:28:00 GMT", "1.5", "99999999999"})
    void aRetryAfterThatIsNoNumberOfSecondsIsNotThere(String text) {
        service.reply(FakeService.problem(503, "draining").with("Retry-After", text));

        var error = catchThrowableOfType(UnavailableException.class, () -> client.exec("x"));

        assertThat(error.retryAfter()).isNull();
    }

    @Test
    void aServiceThatIsNotThereIsUnreachable() throws Exception {
        int free;
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }
        try (var nowhere =
                SandboxClient.builder().url("http://127.0.0.1:" + free).build()) {
            assertThatThrownBy(() -> nowhere.exec("x"))
                    .isInstanceOf(UnreachableException.class)
                    .hasMessageStartingWith("no connection to http://127.0.0.1:%d/api/v1/exec: ".formatted(free));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SSH-2.0-x\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{}",
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"
            })
    void whatIsNoHttpOrBreaksOffIsNoAnswer(String answer) throws Exception {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var odd = SandboxClient.builder()
                        .url("http://127.0.0.1:" + socket.getLocalPort())
                        .build()) {
            Thread.ofVirtual().start(() -> answerOnce(socket, answer));

            assertThatThrownBy(() -> odd.exec("x"))
                    .isInstanceOf(UnreachableException.class)
                    .hasMessageContaining("the connection broke");
        }
    }

    private static void answerOnce(ServerSocket socket, String answer) {
        try (var connection = socket.accept()) {
            connection.getOutputStream().write(answer.getBytes(US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theStackTraceIsThatOfTheCaller() {
        service.reply(FakeService.problem(500, "internal"));

        assertThatThrownBy(() -> client.exec("x"))
                .satisfies(error -> assertThat(error.getStackTrace())
                        .anyMatch(frame -> frame.getClassName().startsWith(ErrorsTest.class.getName())));
    }

    @Test
    void aClosedClientMakesNoCall() {
        client.close();

        assertThatThrownBy(() -> client.exec("x"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("this client is closed");
        assertThat(service.asked()).isEmpty();
    }
}
