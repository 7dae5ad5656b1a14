package io.hexr.sandbox.telemetry.trace;

import io.hexr.sandbox.telemetry.trace.OtlpReceiver.Received;
import java.util.Collection;
import java.util.List;

/** The spans of one trace, each found by its name, which must be that of one span only. */
public record SpanTree(List<Received> spans) {

    public static SpanTree of(String traceId, Collection<Received> received) {
        return new SpanTree(
                received.stream().filter(span -> span.traceId().equals(traceId)).toList());
    }

    public Received span(String name) {
        var named = spans.stream().filter(span -> span.name().equals(name)).toList();
        if (named.size() != 1) {
            throw new AssertionError("%d spans %s among %s".formatted(named.size(), name, spans));
        }
        return named.getFirst();
    }

    public List<String> names() {
        return spans.stream().map(Received::name).toList();
    }

    public List<String> childrenOf(String parent) {
        String id = span(parent).id();
        return spans.stream()
                .filter(span -> span.parentId().equals(id))
                .map(Received::name)
                .toList();
    }
}
