package io.hexr.sandbox.pool;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.sandbox.SandboxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Writes down what a pool tells. */
final class PoolEvents implements PoolObserver {
    private final List<String> events = new ArrayList<>();

    synchronized List<String> all() {
        return List.copyOf(events);
    }

    synchronized void clear() {
        events.clear();
    }

    private synchronized void add(String event) {
        events.add(event);
    }

    @Override
    public void prepared(Language language, int variant, Duration took) {
        add("prepared %s".formatted(language.id()));
    }

    @Override
    public void resumed(Language language, boolean waits, Duration resume, Duration handshake) {
        add("resumed %s".formatted(language.id()));
    }

    @Override
    public void resumeFailed(Language language, boolean waits, SandboxException.Code code) {
        add("resume of %s failed %s".formatted(language.id(), code));
    }

    @Override
    public void taken(Language language, boolean waited, Duration age) {
        add("taken %s %s".formatted(language.id(), waited ? "ready" : "on demand"));
    }

    @Override
    public void discarded(Language language, Discard why) {
        add("discarded %s %s".formatted(language.id(), why));
    }
}
