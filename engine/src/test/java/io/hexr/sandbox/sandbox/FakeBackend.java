package io.hexr.sandbox.sandbox;

import io.hexr.sandbox.guest.FakeGuest;
import io.hexr.sandbox.guest.FakeGuest.Manners;
import io.hexr.sandbox.guest.FakeProgram;
import io.hexr.sandbox.guest.GuestChannel;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.guest.SocketPair;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A backend without sandboxes: every resume is a {@link FakeGuest} that runs one given program. */
public final class FakeBackend implements SandboxBackend {
    /** What each of its sandboxes takes while it waits. */
    public static final long READY_BYTES = 20 << 20;

    private static final HostUsage NORMAL = new HostUsage(20 << 20, false, false, Duration.ofMillis(5));

    private final FakeProgram program;
    private final Map<String, FakeSandbox> live = new LinkedHashMap<>();
    private final Queue<SandboxException> resumeFailures = new ArrayDeque<>();
    private final Queue<Error> resumeErrors = new ArrayDeque<>();
    private final AtomicInteger resumes = new AtomicInteger();
    private final Queue<Manners> nextManners = new ArrayDeque<>();
    private int mostLive;
    private HostUsage usage = NORMAL;
    private final List<String> resumed = new ArrayList<>();
    private final List<HostLimits> limitsGiven = new ArrayList<>();
    private volatile CountDownLatch mayClose = new CountDownLatch(0);
    private boolean closed;

    public FakeBackend(FakeProgram program) {
        this.program = program;
    }

    /** The next resume fails like this; may be called several times. */
    public synchronized void failResume(Code code) {
        resumeFailures.add(new SandboxException(code, "as the test asked"));
    }

    /** The next resume ends like this, as when the host has no thread left for it. */
    public synchronized void failResume(Error error) {
        resumeErrors.add(error);
    }

    /** The guests of the next resumes are like this; the others are good. */
    public synchronized void expect(Manners... manners) {
        nextManners.addAll(List.of(manners));
    }

    /** How many sandboxes lived at once at most. */
    public synchronized int mostLive() {
        return mostLive;
    }

    /** What the host counts from now on. */
    public synchronized void count(HostUsage usage) {
        this.usage = usage;
    }

    /** The sandboxes that live. */
    public synchronized Set<String> liveIds() {
        return Set.copyOf(live.keySet());
    }

    /** How many sandboxes were asked for. */
    public int resumes() {
        return resumes.get();
    }

    /** The templates that were resumed, in order. */
    public synchronized List<String> resumed() {
        return List.copyOf(resumed);
    }

    /** What sandboxes were told, after their resume, that they may use. */
    public synchronized List<HostLimits> limitsGiven() {
        return List.copyOf(limitsGiven);
    }

    /** Closing a sandbox kills it, and then waits until the latch is released. */
    public CountDownLatch holdCloses() {
        var latch = new CountDownLatch(1);
        mayClose = latch;
        return latch;
    }

    /** Ends a guest as if its processes had died. */
    public void crash(Sandbox sandbox) {
        crash(sandbox.id());
    }

    /** Ends a guest as if its processes had died. */
    public void crash(String id) {
        FakeSandbox sandbox;
        synchronized (this) {
            sandbox = Objects.requireNonNull(live.get(id), "it lives");
        }
        sandbox.guest.kill();
    }

    @Override
    public BackendInfo info() {
        return new BackendInfo("fake", BackendInfo.Isolation.NONE, "0");
    }

    @Override
    public void reap() {}

    @Override
    public Template prepare(Language language, int variant, Duration deadline) {
        return new FakeTemplate(language, variant, language.id() + "-" + variant, READY_BYTES);
    }

    @Override
    public synchronized Sandbox resume(Template template, HostLimits limits, Duration deadline)
            throws SandboxException {
        int number = resumes.incrementAndGet();
        if (closed) {
            throw new SandboxException(Code.CLOSED, "the backend is closed");
        }
        if (!(template instanceof FakeTemplate)) {
            throw new SandboxException(Code.TEMPLATE_CORRUPT, "not a template of this backend");
        }
        Error error = resumeErrors.poll();
        if (error != null) {
            throw error;
        }
        SandboxException failure = resumeFailures.poll();
        if (failure != null) {
            throw failure;
        }
        resumed.add(template.key());
        var sandbox = new FakeSandbox(
                "fake-" + number,
                SocketPair.open(),
                Objects.requireNonNullElse(nextManners.poll(), Manners.GOOD),
                limits);
        live.put(sandbox.id, sandbox);
        mostLive = Math.max(mostLive, live.size());
        return sandbox;
    }

    @Override
    public void close() {
        List<FakeSandbox> rest;
        synchronized (this) {
            closed = true;
            rest = new ArrayList<>(live.values());
        }
        rest.forEach(FakeSandbox::close);
    }

    private record FakeTemplate(Language language, int variant, String key, long readyBytes) implements Template {}

    private final class FakeSandbox implements Sandbox {
        private final String id;
        private final GuestChannel channel;
        private final FakeGuest guest;
        private volatile HostLimits limits;
        private volatile boolean killed;

        FakeSandbox(String id, SocketPair pair, Manners manners, HostLimits limits) {
            this.id = id;
            this.limits = limits;
            this.channel = pair.engine();
            this.guest = FakeGuest.start(pair.guest(), program, manners);
        }

        @Override
        public String id() {
            return id;
        }

        @Override
        public GuestChannel channel() {
            return channel;
        }

        @Override
        public void limit(HostLimits changed) throws SandboxException {
            if (killed) {
                throw new SandboxException(Code.CLOSED, id + " was killed");
            }
            limits = changed;
            synchronized (FakeBackend.this) {
                limitsGiven.add(changed);
            }
        }

        @Override
        public CompletableFuture<?> onExit() {
            return guest.onExit();
        }

        @Override
        public void kill() {
            killed = true;
            guest.kill();
            try {
                channel.close();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public HostUsage usage() {
            synchronized (FakeBackend.this) {
                return new HostUsage(
                        Math.min(usage.peakMemoryBytes(), limits.memoryBytes()),
                        usage.oomKilled(),
                        usage.processLimitHit(),
                        usage.cpuTime());
            }
        }

        @Override
        public String log() {
            return "a fake has no log";
        }

        @Override
        public void close() {
            kill();
            try {
                mayClose.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            synchronized (FakeBackend.this) {
                live.remove(id);
            }
        }
    }
}
