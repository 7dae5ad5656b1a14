package io.hexr.sandbox.sandbox;

import io.hexr.sandbox.guest.GuestChannel;

/**
 * One resumed sandbox. RUNNING until {@link #kill} (by its owner or a deadline, from any thread), KILLED until {@link #close}, then gone.
 * Both are idempotent; close kills first if need be.
 */
public interface Sandbox extends AutoCloseable {
    /** Unique on this host: names the cgroup, the directory and the log lines of this sandbox. */
    String id();

    GuestChannel channel();

    /** Kills every process of the sandbox and waits until none is left. A read blocked on the channel ends. */
    void kill();

    /** What the host counted. Final after {@link #kill}; before it, a snapshot. */
    HostUsage usage();

    /** The last lines that the sandbox's processes wrote to their log, for error reports to operators, never to callers. */
    String log();

    /** Kills, then removes everything the sandbox had on the host. Never throws; what could not be removed is logged and retried by the reaper. */
    @Override
    void close();
}
