package io.hexr.sandbox.telemetry.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** For collectors: one JSON object a line, in ASCII. */
public final class JsonLines extends LimitedLines {
    private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
                    .build())
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .build();

    /**
     * The members of a line; those that an event does not have are not there.
     *
     * @param time as in RFC 3339
     * @param leftOut how many like it were left out before
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record Line(
            String time,
            String level,
            String logger,
            String thread,
            String message,
            @Nullable String executionId,
            @Nullable String caller,
            @Nullable String traceId,
            @Nullable String exception,
            @Nullable Integer leftOut) {}

    @Override
    String line(ILoggingEvent event, int leftOut) {
        var context = event.getMDCPropertyMap();
        var thrown = event.getThrowableProxy();
        return JSON.writeValueAsString(new Line(
                event.getInstant().toString(),
                event.getLevel().toString(),
                event.getLoggerName(),
                event.getThreadName(),
                cut(event.getFormattedMessage(), MAX_MESSAGE),
                context.get(LogContext.EXECUTION_ID),
                context.get(LogContext.CALLER),
                context.get(LogContext.TRACE_ID),
                thrown == null ? null : exception(thrown),
                leftOut == 0 ? null : leftOut));
    }
}
