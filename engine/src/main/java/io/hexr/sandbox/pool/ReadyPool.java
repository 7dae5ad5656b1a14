package io.hexr.sandbox.pool;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.pool.PoolObserver.Discard;
import io.hexr.sandbox.pool.PoolPlan.Wish;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.Template;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sandboxes that wait for calls: resumed, handshaken, parked.
 *
 * <h2>Life of one</h2>
 *
 * <p>REFILLING (a thread resumes it) → WAITING (on the {@link Shelf} of its language) → gone, in one of five ways: taken by a call, which
 * owns it from then on; too old; dead, which the exit of its process tells; surplus, when another language needs its memory; or closed with
 * the pool. Whoever removes it from its shelf, under the lock, owns it, so it is handed out once at most, and closed once.
 *
 * <h2>Refilling</h2>
 *
 * <p>Nothing looks at the shelves from time to time. Whatever changes them (a take, an end, a refill that is done) starts as many refills
 * as are missing and allowed at once. How many should wait follows {@link Demand} within {@link ReadyLimits}; all that wait or are being
 * made never hold more than the pool's memory. A refill runs with low priority, so that it takes only what calls leave of the processors.
 *
 * <p>Low priority is not enough on two cores, of which a call uses both: its program and gVisor's kernel take turns. So a take that leaves
 * others waiting does not start a refill. The end of its sandbox does, or the end of its {@link ReadyLimits#headStart}, whichever is first;
 * anything else that changes the shelves meanwhile does not wait for that.
 *
 * <h2>Failures</h2>
 *
 * <p>A refill that fails leaves nothing behind and stops refilling for a while that grows with each failure in a row; calls that find an
 * empty shelf meanwhile resume for themselves. Closing ends refilling and closes those that wait; a refill under way closes what it made, or
 * the backend's close ends it.
 */
final class ReadyPool implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ReadyPool.class);

    private final Resumer resumer;
    private final TemplateCatalog templates;
    private final ReadyLimits limits;
    private final FailureStreak failures;
    private final ScheduledExecutorService timer;
    private final PoolObserver observer;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Language, Shelf> shelves = new EnumMap<>(Language.class);
    private boolean paused;
    private boolean closed;

    ReadyPool(
            Resumer resumer,
            TemplateCatalog templates,
            ReadyLimits limits,
            FailureStreak failures,
            ScheduledExecutorService timer,
            PoolObserver observer,
            LongSupplier nanoTime) {
        this.resumer = resumer;
        this.templates = templates;
        this.limits = limits;
        this.failures = failures;
        this.timer = timer;
        this.observer = observer;
        for (var language : Language.values()) {
            long bytes = templates.readyBytes(language) + limits.whileWaiting().memoryBytes();
            shelves.put(language, new Shelf(language, bytes, new Demand(nanoTime)));
        }
    }

    /** Starts what is missing. */
    void start() {
        lock.lock();
        try {
            replenish();
        } finally {
            lock.unlock();
        }
    }

    /** One that waited, now the caller's; null if there is none. */
    @Nullable
    ReadySandbox take(Language language) {
        lock.lock();
        try {
            Shelf shelf = shelf(language);
            ReadySandbox taken = shelf.take();
            if (taken != null && shelf.ready() > 0) {
                giveHeadStart(taken);
            } else {
                replenish();
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    private void giveHeadStart(ReadySandbox call) {
        Future<?> over = timer.schedule(this::start, limits.headStart().toNanos(), TimeUnit.NANOSECONDS);
        var _ = call.sandbox().onExit().thenRun(() -> {
            if (over.cancel(false)) {
                start();
            }
        });
    }

    private Shelf shelf(Language language) {
        return Objects.requireNonNull(shelves.get(language), "every language has a shelf");
    }

    /** Starts what is missing; under the lock, which is not held while anything is resumed or closed. */
    private void replenish() {
        while (!closed && !paused && refilling() < limits.refills()) {
            Map<Language, Integer> targets = targets();
            Shelf shelf = neediest(targets);
            if (shelf == null) {
                return;
            }
            makeRoom(shelf.bytesEach(), targets);
            shelf.beginRefill();
            Thread.ofVirtual().name("refill-" + shelf.language().id()).start(() -> refill(shelf));
        }
    }

    private int refilling() {
        return shelves.values().stream().mapToInt(Shelf::refilling).sum();
    }

    private Map<Language, Integer> targets() {
        var wishes = new EnumMap<Language, Wish>(Language.class);
        shelves.forEach((language, shelf) -> wishes.put(language, shelf.wish(limits)));
        return PoolPlan.targets(wishes, limits.memoryBytes());
    }

    /** The shelf that has least of what it should have; null if all are full. */
    private @Nullable Shelf neediest(Map<Language, Integer> targets) {
        Shelf neediest = null;
        double least = 1;
        for (Shelf shelf : shelves.values()) {
            int target = targets.getOrDefault(shelf.language(), 0);
            double filled = target == 0 ? 1 : (double) shelf.count() / target;
            if (filled < least) {
                neediest = shelf;
                least = filled;
            }
        }
        return neediest;
    }

    /** What all should have fits the memory, so if another one does not, somebody has more than that. */
    private void makeRoom(long bytes, Map<Language, Integer> targets) {
        for (Shelf shelf : shelves.values()) {
            while (usedBytes() + bytes > limits.memoryBytes()
                    && shelf.count() > targets.getOrDefault(shelf.language(), 0)) {
                ReadySandbox surplus = shelf.drop();
                if (surplus == null) {
                    break;
                }
                observer.discarded(shelf.language(), Discard.SURPLUS);
                Thread.startVirtualThread(surplus.sandbox()::close);
            }
        }
    }

    private long usedBytes() {
        return shelves.values().stream().mapToLong(Shelf::bytes).sum();
    }

    private void refill(Shelf shelf) {
        ReadySandbox made = null;
        Throwable failure = null;
        try {
            made = make(templates.next(shelf.language()));
            failures.end();
        } catch (SandboxException | RuntimeException | Error e) {
            failure = e; // whatever it is, the next refill must find its place free
        }
        if (!endRefill(shelf, made, failure) && made != null) {
            made.sandbox().close();
        }
    }

    private ReadySandbox make(Template template) throws SandboxException {
        var event = new SandboxEvent.Refill(template);
        try {
            ReadySandbox made = resumer.resume(template, limits.whileWaiting(), true);
            event.sandbox = made.sandbox().id();
            return made;
        } finally {
            event.commit();
        }
    }

    /** Whether the pool took over what was made; a closed one does not, and does not mind a failure. */
    private boolean endRefill(Shelf shelf, @Nullable ReadySandbox made, @Nullable Throwable failure) {
        lock.lock();
        try {
            shelf.endRefill();
            if (closed) {
                return false;
            }
            if (made == null) {
                failures.add();
                log.warn("no {} sandbox for the pool", shelf.language().id(), failure);
                pause();
                return false;
            }
            shelf.add(
                    made,
                    timer.schedule(
                            () -> leave(shelf, made, Discard.OLD),
                            limits.maxAge().toNanos(),
                            TimeUnit.NANOSECONDS));
            replenish();
            // Last: one that is dead by now leaves at once.
            var _ = made.sandbox().onExit().thenRun(() -> leave(shelf, made, Discard.DIED));
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void pause() {
        paused = true;
        var _ = timer.schedule(this::proceed, failures.pause().toNanos(), TimeUnit.NANOSECONDS);
    }

    private void proceed() {
        lock.lock();
        try {
            paused = false;
            replenish();
        } finally {
            lock.unlock();
        }
    }

    /** Ends one that still waits; called by events, whose threads must not block. */
    private void leave(Shelf shelf, ReadySandbox sandbox, Discard why) {
        lock.lock();
        try {
            if (!shelf.remove(sandbox)) {
                return;
            }
            observer.discarded(shelf.language(), why);
            replenish();
        } finally {
            lock.unlock();
        }
        log.debug("sandbox {} is discarded: {}", sandbox.sandbox().id(), why);
        Thread.startVirtualThread(sandbox.sandbox()::close);
    }

    PoolLevels levels() {
        lock.lock();
        try {
            Map<Language, Integer> targets = targets();
            return new PoolLevels(
                    limits.memoryBytes(),
                    usedBytes(),
                    failures.count(),
                    shelves.values().stream()
                            .map(shelf -> new PoolLevels.Level(
                                    shelf.language(),
                                    shelf.ready(),
                                    shelf.refilling(),
                                    targets.getOrDefault(shelf.language(), 0)))
                            .toList());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        List<ReadySandbox> rest = new ArrayList<>();
        lock.lock();
        try {
            closed = true;
            for (Shelf shelf : shelves.values()) {
                for (var next = shelf.drop(); next != null; next = shelf.drop()) {
                    rest.add(next);
                    observer.discarded(shelf.language(), Discard.CLOSED);
                }
            }
        } finally {
            lock.unlock();
        }
        try (var closers = Executors.newVirtualThreadPerTaskExecutor()) {
            rest.forEach(sandbox -> closers.execute(sandbox.sandbox()::close));
        }
    }
}
