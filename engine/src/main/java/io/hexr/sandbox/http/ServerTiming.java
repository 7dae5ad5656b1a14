package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.ExecutionResult.PhaseTimings;
import java.time.Duration;
import java.util.Locale;

/**
 * The {@code Server-Timing} header (W3C Server Timing): where the time of a call went, in milliseconds. The phases follow one another; {@code
 * resume} and {@code handshake} are parts of {@code pool} and come only when no sandbox waited.
 */
final class ServerTiming {
    static final String HEADER = "Server-Timing";

    private ServerTiming() {}

    static String of(PhaseTimings timings, Duration total) {
        String pool = timings.waited()
                ? "pool;desc=hit;dur=" + milliseconds(timings.pool())
                : "pool;desc=miss;dur=%s, resume;dur=%s, handshake;dur=%s"
                        .formatted(
                                milliseconds(timings.pool()),
                                milliseconds(timings.resume()),
                                milliseconds(timings.handshake()));
        return "queue;dur=%s, %s, layout;dur=%s, run;dur=%s, destroy;dur=%s, %s"
                .formatted(
                        milliseconds(timings.queue()),
                        pool,
                        milliseconds(timings.layout()),
                        milliseconds(timings.run()),
                        milliseconds(timings.destroy()),
                        of(total));
    }

    /** Of a call that has no phases to tell of. */
    static String of(Duration total) {
        return "total;dur=" + milliseconds(total);
    }

    private static String milliseconds(Duration duration) {
        return String.format(Locale.ROOT, "%.2f", duration.toNanos() / 1e6);
    }
}
