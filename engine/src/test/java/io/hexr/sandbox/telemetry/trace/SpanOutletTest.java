package io.hexr.sandbox.telemetry.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Spans are bounded in number and those that are lost are counted, whatever the exporter does. */
class SpanOutletTest {
    /** Answers as told, and keeps the answers, so that a test can give them later. */
    private static final class Exporter implements SpanExporter {
        private final Supplier<CompletableResultCode> answers;
        private final List<CompletableResultCode> given = new ArrayList<>();
        private int spans;

        Exporter(Supplier<CompletableResultCode> answers) {
            this.answers = answers;
        }

        @Override
        public CompletableResultCode export(Collection<SpanData> batch) {
            spans += batch.size();
            var answer = answers.get();
            given.add(answer);
            return answer;
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }
    }

    private final List<SdkTracerProvider> providers = new ArrayList<>();

    @AfterEach
    void close() {
        providers.forEach(SdkTracerProvider::close);
    }

    private static SpanOutlet outlet(Exporter exporter) {
        return new SpanOutlet("the test", 3, exporter, SimpleSpanProcessor::create);
    }

    private Tracer tracer(SpanOutlet outlet) {
        var provider = SdkTracerProvider.builder().addSpanProcessor(outlet).build();
        providers.add(provider);
        return provider.get("test");
    }

    private static void spans(Tracer tracer, int count) {
        for (int i = 0; i < count; i++) {
            tracer.spanBuilder("span").startSpan().end();
        }
    }

    @Test
    void whatIsTakenMakesRoomAndIsNotCounted() {
        var exporter = new Exporter(CompletableResultCode::ofSuccess);
        var outlet = outlet(exporter);
        spans(tracer(outlet), 100);

        assertThat(exporter.spans).isEqualTo(100);
        assertThat(outlet.dropped()).isZero();
        assertThat(outlet.failed()).isZero();
    }

    @Test
    void whatIsUnderWayCountsAgainstTheBoundAndTheRestIsDropped() {
        var exporter = new Exporter(CompletableResultCode::new);
        var outlet = outlet(exporter);
        var tracer = tracer(outlet);
        spans(tracer, 10);

        assertThat(exporter.spans).isEqualTo(3);
        assertThat(outlet.dropped()).isEqualTo(7);

        exporter.given.forEach(CompletableResultCode::succeed);
        spans(tracer, 2);
        assertThat(exporter.spans).isEqualTo(5);
        assertThat(outlet.dropped()).isEqualTo(7);
        exporter.given.forEach(CompletableResultCode::succeed);
    }

    @Test
    void whatIsRefusedIsCountedAndMakesRoom() {
        var exporter = new Exporter(CompletableResultCode::ofFailure);
        var outlet = outlet(exporter);
        spans(tracer(outlet), 10);

        assertThat(outlet.failed()).isEqualTo(10);
        assertThat(outlet.dropped()).isZero();
    }

    @Test
    void anExporterThatThrowsIsOneThatRefuses() {
        var outlet = outlet(new Exporter(() -> {
            throw new IllegalStateException("as the test asked");
        }));
        spans(tracer(outlet), 4);

        assertThat(outlet.failed()).isEqualTo(4);
        assertThat(outlet.forceFlush().join(1, TimeUnit.SECONDS).isSuccess()).isTrue();
    }
}
