package io.hexr.sandbox.pool;

import io.hexr.sandbox.guest.GuestSession;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.sandbox.HostLimits;
import io.hexr.sandbox.sandbox.Sandbox;
import io.hexr.sandbox.sandbox.SandboxBackend;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.Template;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where executions get their sandboxes: resumed from the language's template and handshaken when taken.
 *
 * <p>A sandbox that cannot be resumed, or whose handshake fails or is late, is destroyed and never handed out; one more try is made,
 * because a resume can lose a race that the next one wins (the first vsock connection after a load is often reset). The taker owns what
 * {@link #take} returns and closes it on every path.
 */
public final class SandboxPool {
    private static final Logger log = LoggerFactory.getLogger(SandboxPool.class);
    private static final int TRIES = 2;
    private static final int ENTROPY_BYTES = 64;

    private final SandboxBackend backend;
    private final TemplateCatalog templates;
    private final Duration resumeDeadline;
    private final ScheduledExecutorService timer;
    private final SecureRandom random = new SecureRandom();
    private final FailureStreak failures = new FailureStreak(System::nanoTime);

    private SandboxPool(
            SandboxBackend backend,
            TemplateCatalog templates,
            Duration resumeDeadline,
            ScheduledExecutorService timer) {
        this.backend = backend;
        this.templates = templates;
        this.resumeDeadline = resumeDeadline;
        this.timer = timer;
    }

    /**
     * Prepares every template, which takes long when none is cached.
     *
     * @param variants how many templates of a language, 1 where none is given
     * @param templateDeadline bound for making one template
     * @param resumeDeadline bound for one resume with its handshake
     */
    public static SandboxPool open(
            SandboxBackend backend,
            Map<Language, Integer> variants,
            Duration templateDeadline,
            Duration resumeDeadline,
            ScheduledExecutorService timer)
            throws SandboxException {
        return new SandboxPool(
                backend, TemplateCatalog.prepare(backend, variants, templateDeadline), resumeDeadline, timer);
    }

    /** Whether this host gives no sandboxes at present; calls may go on trying. */
    public boolean isBroken() {
        return failures.isGoingOn();
    }

    public ReadySandbox take(Language language, HostLimits limits) throws SandboxException {
        for (int attempt = 1; ; attempt++) {
            try {
                ReadySandbox ready = resume(templates.next(language), limits);
                failures.end();
                return ready;
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

    private ReadySandbox resume(Template template, HostLimits limits) throws SandboxException {
        long start = System.nanoTime();
        Sandbox sandbox = backend.resume(template, limits, resumeDeadline);
        try {
            long connected = System.nanoTime();
            var session = new GuestSession(sandbox.channel());
            handshake(sandbox, session);
            return new ReadySandbox(
                    sandbox,
                    session,
                    Duration.ofNanos(connected - start),
                    Duration.ofNanos(System.nanoTime() - connected));
        } catch (Throwable e) { // whatever it is, a sandbox that nobody got must not stay
            sandbox.close();
            throw e;
        }
    }

    /** A guest that does not answer in time is killed, which ends the blocked read. */
    private void handshake(Sandbox sandbox, GuestSession session) throws SandboxException {
        // Killing waits for the processes to be gone: not on the timer's own thread.
        var late = timer.schedule(
                () -> Thread.startVirtualThread(sandbox::kill), resumeDeadline.toNanos(), TimeUnit.NANOSECONDS);
        try {
            byte[] entropy = new byte[ENTROPY_BYTES];
            random.nextBytes(entropy);
            session.handshake(Instant.now(), entropy);
        } catch (IOException e) {
            throw new SandboxException(
                    SandboxException.Code.HANDSHAKE_FAILED,
                    "sandbox %s: %s; its log: %s".formatted(sandbox.id(), e.getMessage(), sandbox.log()),
                    e);
        } finally {
            late.cancel(false);
        }
    }
}
