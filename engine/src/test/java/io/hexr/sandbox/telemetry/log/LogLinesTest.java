package io.hexr.sandbox.telemetry.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a caller or a program can put into the log, and what comes out of it. */
class LogLinesTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final LoggerContext context = new LoggerContext();
    private final LogbackMDCAdapter mdc = new LogbackMDCAdapter();
    private final LimitedLines text = new TextLines();
    private final LimitedLines json = new JsonLines();

    LogLinesTest() {
        context.setMDCAdapter(mdc);
    }

    private ILoggingEvent event(Level level, @Nullable Throwable thrown, String format, Object... arguments) {
        Logger logger = context.getLogger("io.hexr.sandbox.exec.ExecutionService");
        return new LoggingEvent(LogLinesTest.class.getName(), logger, level, format, thrown, arguments);
    }

    private String text(ILoggingEvent event) {
        return new String(text.encode(event), UTF_8);
    }

    private JsonNode json(ILoggingEvent event) {
        String line = new String(json.encode(event), UTF_8);
        assertThat(line).as("one line").endsWith("\n").containsOnlyOnce("\n");
        return JSON.readTree(line);
    }

    @Test
    void aJsonLineHasWhatACollectorLooksFor() {
        mdc.put(LogContext.EXECUTION_ID, "exec-1");
        mdc.put(LogContext.CALLER, "spiffe://example.org/agent");
        mdc.put(LogContext.TRACE_ID, "4bf92f3577b34da6a3ce929d0e0e4736");

        var line = json(event(Level.ERROR, new IOException("no space"), "sandbox {} failed", "s-1"));

        assertThat(Instant.parse(line.path("time").asString()))
                .isBetween(Instant.now().minus(Duration.ofMinutes(1)), Instant.now());
        assertThat(line.path("level").asString()).isEqualTo("ERROR");
        assertThat(line.path("logger").asString()).isEqualTo("io.hexr.sandbox.exec.ExecutionService");
        assertThat(line.path("message").asString()).isEqualTo("sandbox s-1 failed");
        assertThat(line.path("execution_id").asString()).isEqualTo("exec-1");
        assertThat(line.path("caller").asString()).isEqualTo("spiffe://example.org/agent");
        assertThat(line.path("trace_id").asString()).isEqualTo("4bf92f3577b34da6a3ce929d0e0e4736");
        assertThat(line.path("exception").asString())
                .startsWith("java.io.IOException: no space")
                .contains("LogLinesTest");
    }

    @Test
    void whatAnEventDoesNotHaveIsNotInItsLine() {
        assertThat(json(event(Level.INFO, null, "stopped")).propertyNames())
                .containsExactly("time", "level", "logger", "thread", "message");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\n2026-01-01T00:00:00.000Z INFO  Engine: forged",
                "a\r\n2026-01-01T00:00:00.000Z INFO  Engine: forged",
                "a\u20282026-01-01T00:00:00.000Z INFO  Engine: forged",
                "\u001b[2J\u001b[31mred",
                "\u009b2J",
                "\u0007\b\u0000",
                "\u202eevil"
            })
    void noTextCanForgeALineOrSpeakToATerminal(String sent) {
        for (var event : List.of(
                event(Level.INFO, null, "it said: {}", sent), event(Level.INFO, new IOException(sent), "it failed"))) {
            String line = text(event);
            assertThat(line.lines().skip(1)).allSatisfy(more -> assertThat(more).startsWith("    "));
            assertThat(line.chars().filter(c -> c != '\n' && c != '\t'))
                    .noneMatch(c -> Character.isISOControl(c) || Character.getType(c) == Character.FORMAT);
            String written = new String(json.encode(event), UTF_8);
            assertThat(written.strip().chars()).as(written).allMatch(c -> c >= ' ' && c <= '~');
        }
        assertThat(json(event(Level.INFO, null, "it said: {}", sent))
                        .path("message")
                        .asString())
                .as("nothing is lost in JSON")
                .isEqualTo("it said: " + sent);
    }

    @Test
    void aLineHasABoundedLength() {
        String long_ = "\u20ac".repeat(1 << 20);
        var event = event(Level.INFO, new IOException(long_), "{}", long_);
        int bound = 6 * (LimitedLines.MAX_MESSAGE + LimitedLines.MAX_EXCEPTION) + 1_000;
        assertThat(text.encode(event)).hasSizeLessThan(bound);
        assertThat(json.encode(event)).hasSizeLessThan(bound);
        assertThat(json(event).path("message").asString())
                .endsWith("(%d more)".formatted((1 << 20) - LimitedLines.MAX_MESSAGE));
    }

    @Test
    void whatComesAgainAndAgainIsLeftOutAndCountedButDebugIsNot() {
        var lines = new ArrayList<String>();
        long begun = System.nanoTime();
        for (int i = 0; i < 1_000; i++) {
            lines.add(text(event(Level.INFO, null, "refused: {}", i)));
        }
        long seconds = Duration.ofNanos(System.nanoTime() - begun).toSeconds();
        assertThat(lines)
                .filteredOn(line -> !line.isEmpty())
                .as("twenty a second, in %d seconds that were begun at any time", seconds + 1)
                .hasSizeBetween(20, (int) (20 * (seconds + 2)));
        assertThat(text(event(Level.INFO, null, "another kind"))).isNotEmpty();
        for (int i = 0; i < 100; i++) {
            assertThat(text(event(Level.DEBUG, null, "debug"))).isNotEmpty();
        }
    }

    @Test
    void theNextLineTellsHowManyWereLeftOut() {
        long[] now = {0};
        var repeats = new RepeatLimit(() -> now[0]);
        for (int i = 0; i < 20; i++) {
            assertThat(repeats.admit("a")).isZero();
        }
        for (int i = 0; i < 5; i++) {
            assertThat(repeats.admit("a")).isEqualTo(RepeatLimit.LEFT_OUT);
        }
        assertThat(repeats.admit("b")).isZero();
        now[0] += Duration.ofSeconds(1).toNanos();
        assertThat(repeats.admit("a")).isEqualTo(5);
        assertThat(repeats.admit("a")).isEqualTo(RepeatLimit.LEFT_OUT);
    }
}
