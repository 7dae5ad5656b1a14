package io.hexr.sandbox.pool;

import io.hexr.sandbox.guest.GuestSession;
import io.hexr.sandbox.sandbox.HostLimits;
import io.hexr.sandbox.sandbox.Sandbox;
import io.hexr.sandbox.sandbox.SandboxBackend;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.Template;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Resumes a template and does the handshake. A sandbox whose handshake fails or is late is destroyed and never handed out. Until the handshake
 * is done nothing of a caller runs in it, so it may use every processor, and is ready sooner.
 */
final class Resumer {
    private static final int ENTROPY_BYTES = 64;

    private final SandboxBackend backend;
    private final Duration deadline;
    private final ScheduledExecutorService timer;
    private final PoolObserver observer;
    private final int cores = Runtime.getRuntime().availableProcessors();
    private final SecureRandom random = new SecureRandom();

    /** @param deadline of one resume, and of its handshake */
    Resumer(SandboxBackend backend, Duration deadline, ScheduledExecutorService timer, PoolObserver observer) {
        this.backend = backend;
        this.deadline = deadline;
        this.timer = timer;
        this.observer = observer;
    }

    /** @param waits whether it is made before anybody asks for it */
    ReadySandbox resume(Template template, HostLimits limits, boolean waits) throws SandboxException {
        try {
            var ready = start(template, limits, waits);
            observer.resumed(template.language(), waits, ready.resumeTime(), ready.handshakeTime());
            return ready;
        } catch (SandboxException e) {
            observer.resumeFailed(template.language(), waits, e.code());
            throw e;
        }
    }

    private ReadySandbox start(Template template, HostLimits limits, boolean waits) throws SandboxException {
        long start = System.nanoTime();
        Sandbox sandbox = connect(template, limits);
        try {
            long connected = System.nanoTime();
            var session = new GuestSession(sandbox.channel());
            handshake(template, sandbox, session);
            sandbox.limit(limits);
            long ready = System.nanoTime();
            return new ReadySandbox(
                    sandbox,
                    session,
                    waits,
                    Duration.ofNanos(connected - start),
                    Duration.ofNanos(ready - connected),
                    ready);
        } catch (Throwable e) { // whatever it is, a sandbox that nobody got must not stay
            sandbox.close();
            throw e;
        }
    }

    private Sandbox connect(Template template, HostLimits limits) throws SandboxException {
        var event = new SandboxEvent.Resume(template);
        try {
            Sandbox sandbox = backend.resume(template, limits.withCpus(cores), deadline);
            event.sandbox = sandbox.id();
            return sandbox;
        } finally {
            event.commit();
        }
    }

    /** A guest that does not answer in time is killed, which ends the blocked read. */
    private void handshake(Template template, Sandbox sandbox, GuestSession session) throws SandboxException {
        var event = new SandboxEvent.Handshake(template);
        // Killing waits for the processes to be gone: not on the timer's own thread.
        var late = timer.schedule(
                () -> Thread.startVirtualThread(sandbox::kill), deadline.toNanos(), TimeUnit.NANOSECONDS);
        try {
            byte[] entropy = new byte[ENTROPY_BYTES];
            random.nextBytes(entropy);
            session.handshake(Instant.now(), entropy);
            event.sandbox = sandbox.id();
        } catch (IOException e) {
            throw new SandboxException(
                    SandboxException.Code.HANDSHAKE_FAILED,
                    "sandbox %s: %s; its log: %s".formatted(sandbox.id(), e.getMessage(), sandbox.log()),
                    e);
        } finally {
            late.cancel(false);
            event.commit();
        }
    }
}
