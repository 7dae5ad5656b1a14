package io.hexr.sandbox.pool;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.pool.PoolPlan.Wish;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** The sandboxes of one language that wait, oldest first, and those that are being made. Guarded by the lock of its {@link ReadyPool}. */
final class Shelf {
    private final Language language;
    private final long bytesEach;
    private final Demand demand;
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private int refilling;

    private record Waiting(ReadySandbox sandbox, Future<?> expiry) {}

    /** @param bytesEach what one sandbox takes while it waits */
    Shelf(Language language, long bytesEach, Demand demand) {
        this.language = language;
        this.bytesEach = bytesEach;
        this.demand = demand;
    }

    Language language() {
        return language;
    }

    int ready() {
        return waiting.size();
    }

    int refilling() {
        return refilling;
    }

    /** Those that wait and those that will. */
    int count() {
        return waiting.size() + refilling;
    }

    long bytesEach() {
        return bytesEach;
    }

    long bytes() {
        return count() * bytesEach;
    }

    Wish wish(ReadyLimits limits) {
        return new Wish(Math.min(limits.min() + demand.extra(), limits.max()), bytesEach);
    }

    void beginRefill() {
        refilling++;
    }

    void endRefill() {
        refilling--;
    }

    /** @param expiry cancelled when the sandbox leaves */
    void add(ReadySandbox sandbox, Future<?> expiry) {
        waiting.add(new Waiting(sandbox, expiry));
    }

    /** The one that waited longest; null, and remembered as a demand, if none waits. */
    @Nullable
    ReadySandbox take() {
        ReadySandbox oldest = drop();
        if (oldest == null) {
            demand.add();
        }
        return oldest;
    }

    /** The one that waited longest; null if none waits. */
    @Nullable
    ReadySandbox drop() {
        Waiting oldest = waiting.poll();
        if (oldest == null) {
            return null;
        }
        oldest.expiry.cancel(false);
        return oldest.sandbox;
    }

    /** Whether it waited here. */
    boolean remove(ReadySandbox sandbox) {
        for (Iterator<Waiting> each = waiting.iterator(); each.hasNext(); ) {
            Waiting candidate = each.next();
            if (candidate.sandbox.equals(sandbox)) {
                candidate.expiry.cancel(false);
                each.remove();
                return true;
            }
        }
        return false;
    }
}
