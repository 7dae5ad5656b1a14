package io.hexr.sandbox.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
    private static SandboxClient.Builder with(Map<String, String> variables) {
        return new SandboxClient.Builder(new Variables(variables::get));
    }

    @Test
    void theDefaultIsAnEngineOnThisMachine() {
        var settings = with(Map.of()).settings();

        assertThat(settings.url()).hasToString("http://127.0.0.1:8080");
        assertThat(settings.connectTimeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(settings.deadline()).isNull();
        assertThat(settings.maxRetries()).isEqualTo(5);
    }

    @Test
    void everySettingHasAVariable() {
        var settings = with(Map.of(
                        "HEXR_SANDBOX_URL", "https://sandbox.example/prefix/",
                        "HEXR_SANDBOX_CA_FILE", "ca.pem",
                        "HEXR_SANDBOX_CERT_FILE", "cert.pem",
                        "HEXR_SANDBOX_KEY_FILE", "key.pem",
                        "HEXR_SANDBOX_SERVER_ID", "spiffe://example.org/engine",
                        "HEXR_SANDBOX_CONNECT_TIMEOUT", "1.5",
                        "HEXR_SANDBOX_DEADLINE", "60",
                        "HEXR_SANDBOX_MAX_RETRIES", "0"))
                .settings();

        assertThat(settings)
                .isEqualTo(new Settings(
                        java.net.URI.create("https://sandbox.example/prefix"),
                        Path.of("ca.pem"),
                        Path.of("cert.pem"),
                        Path.of("key.pem"),
                        "spiffe://example.org/engine",
                        Duration.ofMillis(1_500),
                        Duration.ofSeconds(60),
                        0));
    }

    @Test
    void aSettingWinsOverItsVariableAndAnEmptyVariableIsNone() {
        var variables = Map.of("HEXR_SANDBOX_URL", "http://variable", "HEXR_SANDBOX_DEADLINE", "");

        assertThat(with(variables).settings().url()).hasToString("http://variable");
        assertThat(with(variables).settings().deadline()).isNull();
        assertThat(with(variables).url("http://setting").settings().url()).hasToString("http://setting");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ftp://x", "x", "http://", "http://x?q", "http://x#f", "http://a b", "unix:/run/x"})
    void whatIsNoUrlOfAServiceIsRefused(String url) {
        assertThatThrownBy(() -> with(Map.of()).url(url).build())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(url)
                .hasFieldOrPropertyWithValue("code", "invalid_configuration");
    }

    @ParameterizedTest
    @CsvSource({
        "HEXR_SANDBOX_DEADLINE, soon, a number of seconds",
        "HEXR_SANDBOX_DEADLINE, 0, more than 0",
        "HEXR_SANDBOX_DEADLINE, NaN, more than 0",
        "HEXR_SANDBOX_CONNECT_TIMEOUT, -1, more than 0",
        "HEXR_SANDBOX_MAX_RETRIES, 1.5, an integer",
        "HEXR_SANDBOX_MAX_RETRIES, -1, 0 or more",
        "HEXR_SANDBOX_CERT_FILE, cert.pem, belong together",
        "HEXR_SANDBOX_CA_FILE, ca.pem, need an https URL",
        "HEXR_SANDBOX_SERVER_ID, spiffe://a/b, and caFile"
    })
    void aVariableThatIsNotValidIsRefused(String name, String value, String legal) {
        assertThatThrownBy(() -> with(Map.of(name, value)).settings())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(legal);
    }

    @Test
    void filesThatCannotBeUsedAreToldAtOnce() {
        assertThatThrownBy(() -> with(Map.of())
                        .url("https://127.0.0.1")
                        .caFile(Path.of("none.pem"))
                        .build())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("none.pem");
    }
}
