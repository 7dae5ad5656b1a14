package io.hexr.sandbox.config;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.status.Status;
import io.hexr.sandbox.telemetry.log.JsonLines;
import io.hexr.sandbox.telemetry.log.TextLines;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The variables of logging are read by logback itself, from logback.xml; properties of its context stand for the environment here. */
class LoggingTest {

    private static LoggerContext configured(String level, String format) throws Exception {
        var context = new LoggerContext();
        context.putProperty("LOG_LEVEL", level);
        context.putProperty("LOG_FORMAT", format);
        var configurator = new JoranConfigurator();
        configurator.setContext(context);
        configurator.doConfigure(LoggingTest.class.getResource("/logback.xml"));
        assertThat(context.getStatusManager().getCopyOfStatusList())
                .as("complaints of logback, which it would print at every start")
                .allSatisfy(status -> assertThat(status.getLevel()).isEqualTo(Status.INFO));
        return context;
    }

    private static Encoder<ILoggingEvent> encoder(LoggerContext context) {
        var console = (ConsoleAppender<ILoggingEvent>)
                context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("console");
        assertThat(console.getTarget()).isEqualTo("System.err");
        return console.getEncoder();
    }

    @ParameterizedTest
    @EnumSource(EngineConfig.LogLevel.class)
    void everyLevelIsUnderstood(EngineConfig.LogLevel level) throws Exception {
        var context = configured(level.name().toLowerCase(Locale.ROOT), "");

        assertThat(context.getLogger("io.hexr").getEffectiveLevel()).isEqualTo(Level.valueOf(level.name()));
    }

    @Test
    void jsonIsOneObjectALine() throws Exception {
        assertThat(encoder(configured("info", "json"))).isInstanceOf(JsonLines.class);
    }

    @Test
    void emptyVariablesMeanTheDefaults() throws Exception {
        var context = configured("", "");

        assertThat(encoder(context)).isInstanceOf(TextLines.class);
        assertThat(context.getLogger("io.hexr").getEffectiveLevel()).isEqualTo(Level.INFO);
    }
}
