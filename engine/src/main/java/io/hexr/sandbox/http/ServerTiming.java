package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.ExecutionResult.PhaseTimings;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;

/**
 * The {@code Server-Timing} header (W3C Server Timing): where the time of a call went, in milliseconds. The phases follow one another; {@code
 * read} is the body on its way; {@code resume} and {@code handshake} are parts of {@code pool} and come only when no sandbox waited.
 */
final class ServerTiming {
    static final String HEADER = "Server-Timing";

    private ServerTiming() {}

    static String of(Duration read, PhaseTimings timings, Duration total) {
        String pool = timings.waited()
                ? "pool;desc=hit;dur=" + milliseconds(timings.pool())
                : String.join(
                        ", ",
                        "pool;desc=miss;dur=" + milliseconds(timings.pool()),
                        "resume;dur=" + milliseconds(timings.resume()),
                        "handshake;dur=" + milliseconds(timings.handshake()));
        return String.join(
                ", ",
                "read;dur=" + milliseconds(read),
                "queue;dur=" + milliseconds(timings.queue()),
                pool,
                "layout;dur=" + milliseconds(timings.layout()),
                "run;dur=" + milliseconds(timings.run()),
                "destroy;dur=" + milliseconds(timings.destroy()),
                of(total));
    }

    /** Of a call that has no phases to tell of. */
    static String of(Duration total) {
        return "total;dur=" + milliseconds(total);
    }

    /** With two decimals. Not by a format, which would take a fifth of a millisecond of each call. */
    private static String milliseconds(Duration duration) {
        return BigDecimal.valueOf(duration.toNanos(), 6)
                .setScale(2, RoundingMode.HALF_UP)
                .toString();
    }
}
