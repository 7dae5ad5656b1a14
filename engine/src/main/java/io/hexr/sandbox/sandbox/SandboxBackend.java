package io.hexr.sandbox.sandbox;

import io.hexr.sandbox.guest.Language;
import java.time.Duration;

/**
 * A way to make sandboxes: template → resume → channel → destroy. Implementations are safe for use by many threads.
 *
 * <p>States of what a backend makes: a {@link Template} is immutable and may be resumed any number of times, also at once; a {@link
 * Sandbox} belongs to one execution from {@link #resume} to {@link Sandbox#close} and is never used twice.
 */
public interface SandboxBackend extends AutoCloseable {
    BackendInfo info();

    /**
     * Removes what an engine that died left behind (processes, cgroups, mounts, directories). Called once, before anything else, under
     * the lock of the state directory.
     */
    void reap() throws SandboxException;

    /**
     * The template of a language, from the cache if a verified one is there, else made now. Different ones may be asked for at the same time:
     * verifying is then done in parallel, making is not.
     *
     * @param variant templates of one language that differ only in what was drawn at random before the snapshot (Python's hash secret)
     * @param deadline how long making it may take
     */
    Template prepare(Language language, int variant, Duration deadline) throws SandboxException;

    /**
     * Resumes a template in a sandbox of its own and returns when the channel is connected; the handshake is the caller's. What goes wrong after
     * the connection shows in the handshake, and its reason in {@link Sandbox#log}.
     *
     * @throws SandboxException if the host refuses; nothing is left behind then
     */
    Sandbox resume(Template template, HostLimits limits, Duration deadline) throws SandboxException;

    /** Destroys every sandbox that still lives and releases what the backend holds. */
    @Override
    void close();
}
