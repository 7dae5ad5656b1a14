package io.hexr.sandbox.telemetry.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;

/**
 * Events as lines of a bounded length and rate. What is logged can hold what a program or a caller sent (the last words of a sandbox, a
 * method's name), so no text may begin a line or speak to a terminal: each format sees to that.
 */
abstract class LimitedLines extends EncoderBase<ILoggingEvent> {
    static final int MAX_MESSAGE = 8_192;
    static final int MAX_EXCEPTION = 16_384;
    private static final byte[] NOTHING = {};

    private final RepeatLimit repeats = new RepeatLimit(System::nanoTime);

    /**
     * The event without its last line end.
     *
     * @param leftOut how many like it were left out before
     */
    abstract String line(ILoggingEvent event, int leftOut);

    @Override
    public final byte[] encode(ILoggingEvent event) {
        // Whoever asks for debug wants all of it.
        int leftOut = event.getLevel().isGreaterOrEqual(Level.INFO)
                ? repeats.admit(event.getLoggerName() + " " + event.getMessage())
                : 0;
        return leftOut == RepeatLimit.LEFT_OUT ? NOTHING : (line(event, leftOut) + "\n").getBytes(UTF_8);
    }

    static String exception(IThrowableProxy thrown) {
        return cut(ThrowableProxyUtil.asString(thrown).strip(), MAX_EXCEPTION);
    }

    static String cut(String text, int length) {
        return text.length() <= length
                ? text
                : text.substring(0, length) + "… (%d more)".formatted(text.length() - length);
    }

    @Override
    public final byte[] headerBytes() {
        return NOTHING;
    }

    @Override
    public final byte[] footerBytes() {
        return NOTHING;
    }
}
