package io.hexr.sandbox.exec;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What was acquired, released in reverse order exactly once. A step that fails is logged and does not keep the others from
 * running; a step added after the stack was closed runs at once, so that a race between a late acquisition and the end
 * cannot leak. Safe for use by several threads.
 */
public final class CleanupStack implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(CleanupStack.class);

    private final Deque<Step> steps = new ArrayDeque<>();
    private boolean closed;

    /** One thing to undo. */
    public interface Action {
        void run() throws Exception;
    }

    private record Step(String name, Action action) {}

    public void push(String name, Action action) {
        synchronized (steps) {
            if (!closed) {
                steps.push(new Step(name, action));
                return;
            }
        }
        run(new Step(name, action));
    }

    @Override
    public void close() {
        while (true) {
            Step step;
            synchronized (steps) {
                closed = true;
                step = steps.poll();
            }
            if (step == null) {
                return;
            }
            run(step);
        }
    }

    private static void run(Step step) {
        try {
            step.action.run();
        } catch (Exception | Error e) {
            log.error("cleanup step '{}' failed; the next start's reaper removes what is left", step.name, e);
        }
    }
}
