package io.hexr.sandbox.exec;

import java.util.ArrayList;
import java.util.List;

/**
 * A caller's word that it wants no answer any more; said once, by any thread, never taken back. Who works for the caller leaves here what ends
 * that work. It must do no harm when the work is over, for it stays here until the call ends. It may block, so it runs on a thread of its own.
 */
public final class Cancellation {
    private final List<Runnable> actions = new ArrayList<>();
    private boolean cancelled;

    public void cancel() {
        List<Runnable> due;
        synchronized (actions) {
            cancelled = true;
            due = List.copyOf(actions);
            actions.clear();
        }
        due.forEach(Thread::startVirtualThread);
    }

    /** At once if it was said already. */
    public void onCancel(Runnable action) {
        synchronized (actions) {
            if (!cancelled) {
                actions.add(action);
                return;
            }
        }
        Thread.startVirtualThread(action);
    }

    public boolean isCancelled() {
        synchronized (actions) {
            return cancelled;
        }
    }

    void throwIfCancelled() throws EngineException {
        if (isCancelled()) {
            throw EngineException.cancelled("The caller went away before its code was run.");
        }
    }
}
