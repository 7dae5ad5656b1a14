package io.hexr.sandbox.exec;

import io.hexr.sandbox.policy.Allowance;
import io.hexr.sandbox.policy.Caller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * What each caller has used of its allowance: requests a second, calls at once, processor time a minute.
 *
 * <p>A call takes a {@link Lease} before it waits for anything, so that one caller's surplus costs the others nothing, and gives it back when
 * its result is there, before its sandbox is gone: the sandbox has its place in {@link Admission} for that. Only callers with a quota are counted. A caller that has all of its allowance back is forgotten when room is needed;
 * while too many are remembered that have not, new ones are refused.
 */
final class CallerQuotas {
    private static final int MAX_CALLERS = 10_000;
    private static final int SECONDS_PER_MINUTE = 60;

    /** How much a program will compute is not known before: whoever has any time left may begin. */
    private static final double SOME_RUN_SECONDS = 1e-6;

    private final LongSupplier nanoTime;
    private final Map<String, Usage> usages = new HashMap<>();

    CallerQuotas(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** What one caller has used; an allowance that changed begins anew, but for the calls that run. */
    private final class Usage {
        private final Allowance allowance;
        private final TokenBucket requests;
        private final TokenBucket runSeconds;
        private int running;

        Usage(Allowance allowance, int running) {
            double rate = allowance.requestsPerSecond();
            double share = allowance.runSecondsPerMinute();
            this.allowance = allowance;
            this.requests = new TokenBucket(Math.max(1, rate), rate, nanoTime);
            this.runSeconds = new TokenBucket(share, share / SECONDS_PER_MINUTE, nanoTime);
            this.running = running;
        }

        List<QuotaLevel> levels() {
            var levels = new ArrayList<QuotaLevel>();
            double rate = allowance.requestsPerSecond();
            if (rate < Allowance.UNLIMITED.requestsPerSecond()) {
                long burst = (long) Math.max(1, rate);
                double left = Math.floor(requests.available());
                levels.add(level("requests_per_second", QuotaLevel.Unit.REQUESTS, burst, burst / rate, left, requests));
            }
            if (allowance.concurrent() < Allowance.UNLIMITED.concurrent()) {
                long left = Math.max(0, allowance.concurrent() - running);
                levels.add(new QuotaLevel(
                        "concurrent", QuotaLevel.Unit.CONCURRENT_REQUESTS, allowance.concurrent(), null, left, null));
            }
            double share = allowance.runSecondsPerMinute();
            if (share < Allowance.UNLIMITED.runSecondsPerMinute()) {
                levels.add(level(
                        "run_seconds_per_minute",
                        QuotaLevel.Unit.CPU_SECONDS,
                        (long) Math.ceil(share),
                        SECONDS_PER_MINUTE,
                        Math.ceil(runSeconds.available()),
                        runSeconds));
            }
            return levels;
        }

        private static QuotaLevel level(
                String name,
                QuotaLevel.Unit unit,
                long limit,
                double windowSeconds,
                double remaining,
                TokenBucket bucket) {
            return new QuotaLevel(
                    name,
                    unit,
                    limit,
                    Duration.ofMillis(Math.round(windowSeconds * 1_000)),
                    Math.clamp((long) remaining, 0, limit),
                    bucket.untilFull());
        }

        boolean isIdle() {
            return running == 0 && requests.isFull() && runSeconds.isFull();
        }
    }

    /** A call that counts; closed exactly once by its owner. */
    interface Lease extends AutoCloseable {
        /** The program is over and took so much of the processors. */
        void ran(Duration cpuTime);

        @Override
        void close();
    }

    private static final Lease UNCOUNTED = new Lease() {
        @Override
        public void ran(Duration cpuTime) {}

        @Override
        public void close() {}
    };

    synchronized Lease acquire(Caller caller) throws EngineException {
        if (caller.allowance().hasNoQuota()) {
            return UNCOUNTED;
        }
        var usage = usage(caller);
        var allowance = usage.allowance;
        if (usage.running >= allowance.concurrent()) {
            throw refused("concurrent", "%d calls at once".formatted(allowance.concurrent()), Duration.ofSeconds(1));
        }
        var untilRunTime = usage.runSeconds.until(SOME_RUN_SECONDS);
        if (!untilRunTime.isZero()) {
            throw refused(
                    "run_seconds_per_minute",
                    "%s seconds of processor time a minute".formatted(allowance.runSecondsPerMinute()),
                    untilRunTime);
        }
        var untilRequest = usage.requests.until(1);
        if (!untilRequest.isZero()) {
            throw refused(
                    "requests_per_second",
                    "%s requests a second".formatted(allowance.requestsPerSecond()),
                    untilRequest);
        }
        usage.requests.take(1);
        usage.running++;
        return lease(caller.name());
    }

    /** What is left to this caller; nothing for one without quotas. */
    synchronized List<QuotaLevel> levels(Caller caller) {
        var known = usages.get(caller.name());
        if (known != null && known.allowance.equals(caller.allowance())) {
            return known.levels();
        }
        return new Usage(caller.allowance(), known == null ? 0 : known.running).levels();
    }

    private Usage usage(Caller caller) throws EngineException {
        var known = usages.get(caller.name());
        if (known != null && known.allowance.equals(caller.allowance())) {
            return known;
        }
        if (known == null && usages.size() >= MAX_CALLERS) {
            usages.values().removeIf(Usage::isIdle);
            if (usages.size() >= MAX_CALLERS) {
                throw new EngineException(ErrorCode.QUEUE_FULL, "More callers than can be counted are active.")
                        .retryAfter(Duration.ofSeconds(1));
            }
        }
        var usage = new Usage(caller.allowance(), known == null ? 0 : known.running);
        usages.put(caller.name(), usage);
        return usage;
    }

    /** A caller with a lease is not idle and so never forgotten: it is there when its lease says something. */
    private Lease lease(String name) {
        return new Lease() {
            private boolean closed;

            @Override
            public void ran(Duration cpuTime) {
                synchronized (CallerQuotas.this) {
                    Objects.requireNonNull(usages.get(name)).runSeconds.take(cpuTime.toNanos() / 1e9);
                }
            }

            @Override
            public void close() {
                synchronized (CallerQuotas.this) {
                    if (!closed) {
                        closed = true;
                        Objects.requireNonNull(usages.get(name)).running--;
                    }
                }
            }
        };
    }

    private static EngineException refused(String limit, String legal, Duration delay) {
        return EngineException.overQuota(limit, "This caller may have %s.".formatted(legal), legal)
                .retryAfter(delay);
    }

    synchronized int remembered() {
        return usages.size();
    }
}
