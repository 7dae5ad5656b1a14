package io.hexr.sandbox.sandbox.firecracker;

import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import java.util.BitSet;

/**
 * The user ids of machines, which are their group ids too. Each living machine has one of its own, so that a monitor that was broken into can
 * neither signal nor read another one. They are given out in turn: one that was given back is the last to be used again.
 */
final class UidRange {
    private final int base;
    private final int size;
    private final BitSet taken = new BitSet();
    private int next;

    UidRange(int base, int size) {
        this.base = base;
        this.size = size;
    }

    synchronized int take() throws SandboxException {
        int free = taken.nextClearBit(next);
        if (free >= size) {
            free = taken.nextClearBit(0);
        }
        if (free >= size) {
            throw new SandboxException(
                    Code.HOST_RESOURCE, "all %d user ids from %d on are taken by machines".formatted(size, base));
        }
        taken.set(free);
        next = (free + 1) % size;
        return base + free;
    }

    synchronized void giveBack(int uid) {
        taken.clear(uid - base);
    }
}
