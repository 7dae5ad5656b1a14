package io.hexr.sandbox.telemetry.metrics;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.pool.PoolObserver;
import io.hexr.sandbox.sandbox.SandboxException;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import java.time.Duration;
import java.util.Locale;

/** Where sandboxes come from and what becomes of those that wait. */
final class PoolMetrics implements PoolObserver {
    private static final String READY = "ready";
    private static final String ON_DEMAND = "on_demand";

    private final Histogram starts;
    private final Counter started;
    private final Counter startFailures;
    private final Counter taken;
    private final Histogram ages;
    private final Counter discarded;
    private final Counter templates;
    private final Histogram templateTimes;

    PoolMetrics(Instruments instruments) {
        starts = instruments.latency(
                "hexr_sandbox_start_duration_seconds",
                "Time to resume a sandbox and to do its handshake, for a call or ahead of one.",
                "language",
                "phase");
        started = instruments.counter(
                "hexr_sandboxes_started_total", "Sandboxes resumed and handshaken.", "language", "purpose");
        startFailures = instruments.counter(
                "hexr_sandbox_start_failures_total", "Sandboxes that could not be started, by reason.", "code");
        taken = instruments.counter(
                "hexr_pool_taken_total",
                "Sandboxes that calls got: one that waited (ready), or one resumed for the call (on_demand).",
                "language",
                "source");
        ages = instruments.age(
                "hexr_pool_age_seconds", "How long sandboxes had waited when a call took them.", "language");
        discarded = instruments.counter(
                "hexr_pool_discarded_total", "Sandboxes that waited and were never used.", "language", "reason");
        templates = instruments.counter(
                "hexr_templates_prepared_total", "Templates made, or found whole in the cache.", "language");
        templateTimes = instruments.latency(
                "hexr_template_prepare_duration_seconds",
                "Time to make a template or to verify a cached one.",
                "language");
        for (var language : Language.values()) {
            for (var source : new String[] {READY, ON_DEMAND}) {
                started.initLabelValues(language.id(), source);
                taken.initLabelValues(language.id(), source);
            }
            for (var reason : Discard.values()) {
                discarded.initLabelValues(language.id(), spell(reason));
            }
        }
        for (var code : SandboxException.Code.values()) {
            startFailures.initLabelValues(spell(code));
        }
    }

    @Override
    public void prepared(Language language, int variant, Duration took) {
        templates.labelValues(language.id()).inc();
        templateTimes.labelValues(language.id()).observe(seconds(took));
    }

    @Override
    public void resumed(Language language, boolean waits, Duration resume, Duration handshake) {
        started.labelValues(language.id(), source(waits)).inc();
        starts.labelValues(language.id(), "resume").observe(seconds(resume));
        starts.labelValues(language.id(), "handshake").observe(seconds(handshake));
    }

    @Override
    public void resumeFailed(Language language, boolean waits, SandboxException.Code code) {
        startFailures.labelValues(spell(code)).inc();
    }

    @Override
    public void taken(Language language, boolean waited, Duration age) {
        taken.labelValues(language.id(), source(waited)).inc();
        if (waited) {
            ages.labelValues(language.id()).observe(seconds(age));
        }
    }

    @Override
    public void discarded(Language language, Discard why) {
        discarded.labelValues(language.id(), spell(why)).inc();
    }

    private static String source(boolean ahead) {
        return ahead ? READY : ON_DEMAND;
    }

    private static String spell(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }
}
