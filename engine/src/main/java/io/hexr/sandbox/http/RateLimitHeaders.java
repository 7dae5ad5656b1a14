package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.QuotaLevel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The headers of draft-ietf-httpapi-ratelimit-headers: {@code RateLimit-Policy} has the quotas (q) with their windows in seconds (w) and units
 * (qu, where it is not requests), {@code RateLimit} what remains of them (r) and when they are full again (t).
 */
final class RateLimitHeaders {
    private RateLimitHeaders() {}

    /** Both; none for a caller without quotas. */
    static Map<String, String> of(List<QuotaLevel> levels) {
        return levels.isEmpty()
                ? Map.of()
                : Map.of(
                        "RateLimit-Policy", list(levels, RateLimitHeaders::policy),
                        "RateLimit", list(levels, RateLimitHeaders::remaining));
    }

    private interface Item {
        String of(QuotaLevel level);
    }

    private static String list(List<QuotaLevel> levels, Item item) {
        return levels.stream().map(item::of).collect(Collectors.joining(", "));
    }

    private static String policy(QuotaLevel level) {
        var window = level.window();
        String unit = level.unit() == QuotaLevel.Unit.REQUESTS
                ? ""
                : ";qu=\"%s\"".formatted(level.unit().id());
        return "\"%s\";q=%d%s%s"
                .formatted(level.name(), level.limit(), unit, window == null ? "" : ";w=" + seconds(window));
    }

    private static String remaining(QuotaLevel level) {
        var reset = level.reset();
        return "\"%s\";r=%d%s".formatted(level.name(), level.remaining(), reset == null ? "" : ";t=" + seconds(reset));
    }

    /** The headers know whole seconds only. */
    private static long seconds(Duration duration) {
        return duration.plusMillis(999).toSeconds();
    }
}
