package io.hexr.sandbox.telemetry.trace;

import io.opentelemetry.context.Context;
import io.opentelemetry.exporter.internal.FailedExportException;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Between the engine and OpenTelemetry's batches: bounds how many spans wait or are under way, counts those that are lost, and says so in the log,
 * once a minute at most.
 *
 * <p>A span is kept from its end until the collector took or refused it; beyond the bound it is dropped. OpenTelemetry's queue has a
 * bound too, but its drops are told to nobody without its metrics, and it does not count what is under way.
 */
final class SpanOutlet implements SpanProcessor {
    private static final Logger log = LoggerFactory.getLogger(SpanOutlet.class);
    private static final long WARNING_INTERVAL = Duration.ofMinutes(1).toNanos();

    private final String collector;
    private final int capacity;
    private final SpanProcessor batches;
    private final AtomicInteger kept = new AtomicInteger();
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong nextWarning = new AtomicLong(System.nanoTime());

    /**
     * @param collector what to call it in the log
     * @param batches makes what collects spans and gives them to an exporter in batches
     */
    SpanOutlet(String collector, int capacity, SpanExporter exporter, Function<SpanExporter, SpanProcessor> batches) {
        this.collector = collector;
        this.capacity = capacity;
        this.batches = batches.apply(new Counted(exporter));
    }

    /** Lost before they were sent. */
    long dropped() {
        return dropped.get();
    }

    long lost() {
        return dropped() + failed();
    }

    /** Lost because the collector did not take them. */
    long failed() {
        return failed.get();
    }

    @Override
    public void onStart(Context parent, ReadWriteSpan span) {}

    @Override
    public boolean isStartRequired() {
        return false;
    }

    @Override
    public void onEnd(ReadableSpan span) {
        if (!span.getSpanContext().isSampled()) {
            return;
        }
        if (kept.incrementAndGet() > capacity) {
            kept.decrementAndGet();
            dropped.incrementAndGet();
            warn("more than " + capacity + " spans wait");
            return;
        }
        batches.onEnd(span);
    }

    @Override
    public boolean isEndRequired() {
        return true;
    }

    @Override
    public CompletableResultCode forceFlush() {
        return batches.forceFlush();
    }

    @Override
    public CompletableResultCode shutdown() {
        return batches.shutdown();
    }

    private void warn(String why) {
        long now = System.nanoTime();
        long due = nextWarning.get();
        if (now - due >= 0 && nextWarning.compareAndSet(due, now + WARNING_INTERVAL)) {
            log.warn(
                    "traces are incomplete, {} spans were lost so far: {}: {}; calls are not touched by it",
                    lost(),
                    collector,
                    why);
        }
    }

    private final class Counted implements SpanExporter {
        private final SpanExporter exporter;

        Counted(SpanExporter exporter) {
            this.exporter = exporter;
        }

        @Override
        public CompletableResultCode export(Collection<SpanData> spans) {
            // The batch is emptied for the next one while this one may still be under way.
            int count = spans.size();
            CompletableResultCode result;
            try {
                result = exporter.export(spans);
            } catch (RuntimeException e) {
                result = CompletableResultCode.ofExceptionalFailure(e);
            }
            var done = result;
            return done.whenComplete(() -> {
                kept.addAndGet(-count);
                if (!done.isSuccess()) {
                    failed.addAndGet(count);
                    warn(reason(done.getFailureThrowable()));
                }
            });
        }

        @Override
        public CompletableResultCode flush() {
            return exporter.flush();
        }

        @Override
        public CompletableResultCode shutdown() {
            return exporter.shutdown();
        }
    }

    private static String reason(@Nullable Throwable failure) {
        if (failure == null) {
            return "not taken";
        }
        if (failure instanceof FailedExportException.HttpExportException http && http.getResponse() != null) {
            return "it answered " + http.getResponse().getStatusCode();
        }
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.toString();
    }
}
