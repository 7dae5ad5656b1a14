package io.hexr.sandbox.sandbox;

import io.hexr.sandbox.guest.GuestChannel;
import java.util.concurrent.CompletableFuture;

/**
 * One resumed sandbox. RUNNING until {@link #kill} (by its owner or a deadline, from any thread), KILLED until {@link #close}, then gone.
 * Both are idempotent; close kills first if need be.
 */
public interface Sandbox extends AutoCloseable {
    /** Unique on this host: names the cgroup, the directory and the log lines of this sandbox. */
    String id();

    GuestChannel channel();

    /**
     * Changes what it may use of the host from now on. A sandbox that waits is given little; who takes it gives it what its run may use,
     * before the run.
     *
     * @throws SandboxException if the host refuses or the sandbox was killed; it is of no use then but to be closed
     */
    void limit(HostLimits limits) throws SandboxException;

    /** Completes when the sandbox has ended, by itself or killed; what waits for it must not block. */
    CompletableFuture<?> onExit();

    /** Kills every process of the sandbox and waits until none is left. A read blocked on the channel ends. */
    void kill();

    /** What the host counted. Final after {@link #kill}; before it, a snapshot. */
    HostUsage usage();

    /** The last lines that the sandbox's processes wrote to their log, for error reports to operators, never to callers. */
    String log();

    /**
     * Kills, then removes everything the sandbox had on the host; returns when its processes are gone, so that one which cannot be killed goes
     * on counting. Never throws; what could not be removed is logged, and the reaper of the next start tries again. Only the backend's close
     * ends the wait early.
     */
    @Override
    void close();
}
