package io.hexr.sandbox.pool;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.sandbox.SandboxException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells several observers, and keeps what they throw from the pool. */
final class PoolObservers implements PoolObserver {
    private static final Logger log = LoggerFactory.getLogger(PoolObservers.class);

    private final List<PoolObserver> observers;

    PoolObservers(List<PoolObserver> observers) {
        this.observers = List.copyOf(observers);
    }

    @Override
    public void prepared(Language language, int variant, Duration took) {
        each(observer -> observer.prepared(language, variant, took));
    }

    @Override
    public void resumed(Language language, boolean waits, Duration resume, Duration handshake) {
        each(observer -> observer.resumed(language, waits, resume, handshake));
    }

    @Override
    public void resumeFailed(Language language, boolean waits, SandboxException.Code code) {
        each(observer -> observer.resumeFailed(language, waits, code));
    }

    @Override
    public void taken(Language language, boolean waited, Duration age) {
        each(observer -> observer.taken(language, waited, age));
    }

    @Override
    public void discarded(Language language, Discard why) {
        each(observer -> observer.discarded(language, why));
    }

    private void each(Consumer<PoolObserver> event) {
        for (var observer : observers) {
            try {
                event.accept(observer);
            } catch (RuntimeException e) {
                log.error("an observer of the pool has a defect", e);
            }
        }
    }
}
