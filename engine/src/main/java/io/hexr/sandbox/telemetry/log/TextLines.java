package io.hexr.sandbox.telemetry.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** For people. Only an event's first line begins at the margin. */
public final class TextLines extends LimitedLines {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final String INDENT = "    ";

    @Override
    String line(ILoggingEvent event, int leftOut) {
        String logger = event.getLoggerName();
        var text = new StringBuilder("%s %-5s %s: %s"
                .formatted(
                        TIME.format(event.getInstant()),
                        event.getLevel(),
                        logger.substring(logger.lastIndexOf('.') + 1),
                        clean(cut(event.getFormattedMessage(), MAX_MESSAGE))));
        if (leftOut > 0) {
            text.append(" (%d more like it were left out)".formatted(leftOut));
        }
        if (event.getThrowableProxy() != null) {
            text.append('\n').append(INDENT).append(clean(exception(event.getThrowableProxy())));
        }
        return text.toString();
    }

    /** Line ends lead to an indented line, so that no text can pass for a line of the log; what would speak to a terminal is spelled out. */
    static String clean(String text) {
        var clean = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '\n', '\u2028', '\u2029' -> clean.append('\n').append(INDENT);
                case '\t' -> clean.append('\t');
                case '\r' -> {}
                default -> {
                    boolean speaks = Character.isISOControl(c) || Character.getType(c) == Character.FORMAT;
                    clean.append(speaks ? "\\u%04x".formatted((int) c) : Character.toString(c));
                }
            }
        }
        return clean.toString();
    }
}
