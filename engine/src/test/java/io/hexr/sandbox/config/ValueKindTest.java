package io.hexr.sandbox.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.config.EngineConfig.LogLevel;
import io.hexr.sandbox.identity.TrustDomain;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ValueKindTest {
    private static final ValueKind<Duration> DURATION = ValueKind.duration(Duration.ofMillis(1), Duration.ofHours(10));
    private static final ValueKind<Integer> BYTES = ValueKind.bytes(1024, 1 << 30);

    @ParameterizedTest
    @CsvSource({
        "30s, 30000",
        "500ms, 500",
        "2m, 120000",
        "1h, 3600000",
        "1m30s, 90000",
        "1.5s, 1500",
        "45, 45000",
        "0.25, 250",
    })
    void durationsAreRead(String text, long milliseconds) {
        assertThat(DURATION.read().apply(text)).contains(Duration.ofMillis(milliseconds));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "s",
                "-1s",
                "1 s",
                "1d",
                "30S",
                "0s",
                "11h",
                "1s2",
                "1e3",
                "NaN",
                "1.s",
                "٣s",
                "999999999999h"
            })
    void otherTextsAreNoDurations(String text) {
        assertThat(DURATION.read().apply(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"1024, 1024", "64KiB, 65536", "3MiB, 3145728", "1GiB, 1073741824"})
    void sizesAreRead(String text, int bytes) {
        assertThat(BYTES.read().apply(text)).contains(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1023", "1KB", "1 KiB", "-1", "1.5MiB", "2GiB", "999999999999999GiB", "0x400"})
    void otherTextsAreNoSizes(String text) {
        assertThat(BYTES.read().apply(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        ":8080, , 8080",
        "127.0.0.1:80, 127.0.0.1, 80",
        "[::1]:8080, ::1, 8080",
        "localhost:0, localhost, 0",
        "sandbox-1.internal:65535, sandbox-1.internal, 65535",
    })
    void addressesAreRead(String text, String host, int port) {
        assertThat(ListenAddress.parse(text)).contains(new ListenAddress.Tcp(host, port));
        assertThat(new ListenAddress.Tcp(host, port)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "8080",
                ":",
                ":65536",
                ":-1",
                "::1:8080",
                "[]:80",
                "[127.0.0.1]:80",
                "256.0.0.1:80",
                "1.2.3:80",
                "a b:80",
                "http://x:80",
                "-a:80",
                "[::1]",
                "[::1:80",
                ":http"
            })
    void otherTextsAreNoAddresses(String text) {
        assertThat(ListenAddress.parse(text)).isEmpty();
    }

    @Test
    void aUnixSocketIsAnAddressWhenItsPathFitsTheKernels() {
        assertThat(ListenAddress.parse("unix:/run/engine.sock"))
                .contains(new ListenAddress.UnixSocket(Path.of("/run/engine.sock")));
        assertThat(ListenAddress.parse("unix:/" + "a".repeat(106))).isPresent();
        assertThat(ListenAddress.parse("unix:/" + "a".repeat(107))).isEmpty();
        assertThat(ListenAddress.parse("unix:engine.sock")).isEmpty();
        assertThat(new ListenAddress.UnixSocket(Path.of("/run/a b.sock")).uri()).hasToString("unix:/run/a%20b.sock");
    }

    @Test
    void theWorkloadApiIsAUnixSocketInTheFormOfItsSpecification() {
        var endpoint = ValueKind.endpointSocket();

        assertThat(endpoint.read().apply("unix:///run/agent.sock")).contains(Path.of("/run/agent.sock"));
        assertThat(endpoint.read().apply("unix:/run/agent.sock")).contains(Path.of("/run/agent.sock"));
        for (String wrong : List.of(
                "/run/agent.sock", "unix://host/run/agent.sock", "tcp://127.0.0.1:8000", "unix:", "unix:///a?b")) {
            assertThat(endpoint.read().apply(wrong)).as(wrong).isEmpty();
        }
    }

    @Test
    void aListIsAsGoodAsItsWorstElement() {
        var domains = ValueKind.list(TrustDomain.LEGAL, TrustDomain::parse);

        assertThat(domains.read().apply("a.org, b.org"))
                .contains(List.of(new TrustDomain("a.org"), new TrustDomain("b.org")));
        assertThat(domains.read().apply("a.org,,b.org")).isEmpty();
        assertThat(domains.read().apply("a.org,B.org")).isEmpty();
    }

    @Test
    void pathsMustBeAbsolute() {
        var paths = ValueKind.absolutePath();

        assertThat(paths.read().apply("/a/./b")).contains(Path.of("/a/b"));
        assertThat(paths.read().apply("a/b")).isEmpty();
        assertThat(paths.read().apply("/a\0b")).isEmpty();
    }

    @Test
    void wordsAreOneShortLineOfAscii() {
        var words = ValueKind.words(12);

        assertThat(words.read().apply("quiet a=b,c")).contains("quiet a=b,c");
        assertThat(words.read().apply("quiet a=b,c d")).isEmpty();
        assertThat(words.read().apply("a\nb")).isEmpty();
        assertThat(words.read().apply("ä")).isEmpty();
    }

    @Test
    void choicesAndSwitchesAreSpeltExactly() {
        var level = ValueKind.oneOf(LogLevel.class);

        assertThat(level.read().apply("debug")).contains(LogLevel.DEBUG);
        assertThat(level.read().apply("DEBUG")).isEmpty();
        assertThat(level.legal()).isEqualTo("error, warn, info, debug, trace");
        assertThat(ValueKind.bool().read().apply("true")).contains(true);
        assertThat(ValueKind.bool().read().apply("yes")).isEmpty();
    }

    @Test
    void decimalsHaveARange() {
        var cpus = ValueKind.decimal(0.1, 64);

        assertThat(cpus.read().apply("1.5")).contains(1.5);
        assertThat(cpus.read().apply("0")).isEmpty();
        assertThat(cpus.read().apply("65")).isEmpty();
        assertThat(cpus.read().apply("NaN")).isEmpty();
    }

    @Property
    void integersInRangeAreRead(@ForAll @IntRange(min = 16, max = 4096) int n) {
        assertThat(ValueKind.integer(16, 4096).read().apply(Integer.toString(n)))
                .contains(n);
    }

    @Property
    void noTextMakesAReaderThrow(@ForAll String text) {
        for (var variable : ConfigVariables.all()) {
            assertThat(variable.kind().read().apply(text)).isNotNull();
        }
    }
}
