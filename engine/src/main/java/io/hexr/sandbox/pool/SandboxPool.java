package io.hexr.sandbox.pool;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.sandbox.HostLimits;
import io.hexr.sandbox.sandbox.SandboxBackend;
import io.hexr.sandbox.sandbox.SandboxException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where executions get their sandboxes: one that waits ({@link ReadyPool}), or else one that is resumed for them.
 *
 * <p>One that waits has little memory and low priority until it is given the limits of its run. One that cannot be given them died a moment
 * ago, and the next is taken. A resume on demand that fails is tried once more, because it can lose a race that the next one wins (the first
 * vsock connection after a load is often reset). The taker owns what {@link #take} returns and closes it on every path. After {@link #close}
 * nothing waits any more; {@link #take} goes on as long as the backend does.
 */
public final class SandboxPool implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SandboxPool.class);
    private static final int TRIES = 2;

    private final TemplateCatalog templates;
    private final Resumer resumer;
    private final FailureStreak failures;
    private final ReadyPool ready;
    private final PoolObserver observer;

    private SandboxPool(
            TemplateCatalog templates,
            Resumer resumer,
            FailureStreak failures,
            ReadyPool ready,
            PoolObserver observer) {
        this.templates = templates;
        this.resumer = resumer;
        this.failures = failures;
        this.ready = ready;
        this.observer = observer;
    }

    /**
     * Prepares every template, which takes long when none is cached, and begins to make sandboxes ready.
     *
     * @param variants how many templates of a language, 1 where none is given
     * @param templateDeadline bound for making one template
     * @param resumeDeadline bound for one resume, and for its handshake
     */
    public static SandboxPool open(
            SandboxBackend backend,
            Map<Language, Integer> variants,
            Duration templateDeadline,
            Duration resumeDeadline,
            ReadyLimits limits,
            ScheduledExecutorService timer,
            List<PoolObserver> observers)
            throws SandboxException {
        var observer = new PoolObservers(observers);
        var templates = TemplateCatalog.prepare(backend, variants, templateDeadline, observer);
        var resumer = new Resumer(backend, resumeDeadline, timer, observer);
        var failures = new FailureStreak(System::nanoTime);
        var ready = new ReadyPool(resumer, templates, limits, failures, timer, observer, System::nanoTime);
        ready.start();
        return new SandboxPool(templates, resumer, failures, ready, observer);
    }

    /** Whether this host gives no sandboxes at present; calls may go on trying. */
    public boolean isBroken() {
        return failures.isGoingOn();
    }

    public PoolLevels levels() {
        return ready.levels();
    }

    public ReadySandbox take(Language language, HostLimits limits) throws SandboxException {
        var taken = takeOrResume(language, limits);
        observer.taken(language, taken.waited(), taken.age());
        return taken;
    }

    private ReadySandbox takeOrResume(Language language, HostLimits limits) throws SandboxException {
        for (var waiting = ready.take(language); waiting != null; waiting = ready.take(language)) {
            try {
                waiting.sandbox().limit(limits);
                return waiting;
            } catch (SandboxException e) {
                log.warn("a {} sandbox that waited is of no use: {}", language.id(), e.getMessage());
                observer.discarded(language, PoolObserver.Discard.UNUSABLE);
                waiting.sandbox().close();
            }
        }
        return resume(language, limits);
    }

    private ReadySandbox resume(Language language, HostLimits limits) throws SandboxException {
        for (int attempt = 1; ; attempt++) {
            try {
                ReadySandbox resumed = resumer.resume(templates.next(language), limits, false);
                failures.end();
                return resumed;
            } catch (SandboxException e) {
                if (e.code() == SandboxException.Code.CLOSED) {
                    throw e;
                }
                if (attempt == TRIES) {
                    failures.add();
                    throw e;
                }
                log.warn("resume of {} failed ({}), trying once more: {}", language.id(), e.code(), e.getMessage());
            }
        }
    }

    @Override
    public void close() {
        ready.close();
    }
}
