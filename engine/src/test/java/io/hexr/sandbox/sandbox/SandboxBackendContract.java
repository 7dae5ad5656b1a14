package io.hexr.sandbox.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.guest.GuestOutcome;
import io.hexr.sandbox.guest.GuestOutcome.Exited;
import io.hexr.sandbox.guest.GuestOutcome.Lost;
import io.hexr.sandbox.guest.GuestSession;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every {@link SandboxBackend} promises. Programs are bash scripts; a fake backend plays those that are used here. */
@Timeout(120)
public abstract class SandboxBackendContract {
    protected static final String HELLO = "echo hello";
    protected static final String SLEEP = "echo started; sleep 1000";
    protected static final String HOLD_24_MIB = "echo started; head -c 24M /dev/zero | tail -c 24M | wc -c";
    protected static final String USE_UP_MEMORY = "echo started; x=x; while :; do x=$x$x; done";

    /** The lab's emulated machine is 25 times slower. */
    protected static final Duration DEADLINE = Duration.ofSeconds(System.getenv("HEXR_LAB") == null ? 60 : 600);

    protected static final HostLimits LIMITS = new HostLimits(128 << 20, 1.0, 64);

    private SandboxBackend backend;
    private Template template;
    private boolean closedByTest;

    /** Opens a backend; {@link #release} gives it back. */
    protected abstract SandboxBackend open() throws Exception;

    /** After each test. Where opening takes long a backend may serve several tests. */
    protected void release(SandboxBackend backend) {
        backend.close();
    }

    /** Everything that sandboxes have on this host now. */
    protected abstract Set<String> traces() throws Exception;

    /** Kills the processes of a sandbox behind the backend's back. */
    protected abstract void crash(Sandbox sandbox) throws Exception;

    /** Lets the backend count memory as the host would when the program that runs uses it up. */
    protected void expectOutOfMemory() {}

    @BeforeEach
    void openBackend() throws Exception {
        backend = open();
        backend.reap();
        template = backend.prepare(Language.BASH, 0, DEADLINE);
    }

    @AfterEach
    void releaseBackend() {
        release(backend);
    }

    /** Whether the test closed the backend. */
    protected final boolean closedByTest() {
        return closedByTest;
    }

    protected final SandboxBackend backend() {
        return backend;
    }

    protected final Sandbox resume() throws SandboxException {
        return backend.resume(template, LIMITS, DEADLINE);
    }

    @Test
    void aResumedSandboxRunsAProgram() throws Exception {
        try (Sandbox sandbox = resume()) {
            var run = new ProgramRun(sandbox);

            GuestOutcome outcome = run.outcome(HELLO);

            assertThat(outcome).isInstanceOf(Exited.class);
            assertThat(run.output()).isEqualTo("hello\n");
            sandbox.kill();
            assertThat(sandbox.usage()).returns(false, HostUsage::oomKilled).returns(false, HostUsage::processLimitHit);
            assertThat(sandbox.usage().cpuTime()).isPositive();
            assertThat(ranOutOfMemory(outcome, sandbox)).isFalse();
            assertThat(peak(outcome, sandbox)).isBetween(100L << 10, LIMITS.memoryBytes());
        }
    }

    @Test
    void sandboxesOfOneTemplateAreIndependentAndDifferInRandomness() throws Exception {
        try (Sandbox one = resume();
                Sandbox other = resume()) {
            var runOne = new ProgramRun(one);
            var runOther = new ProgramRun(other);
            assertThat(one.id()).isNotEqualTo(other.id());
            assertThat(runOne.ready().random()).isNotEqualTo(runOther.ready().random());

            one.kill();

            assertThat(runOther.outcome(HELLO)).isInstanceOf(Exited.class);
        }
    }

    @Test
    void manySandboxesCanBeResumedAtOnce() throws Exception {
        List<CompletableFuture<String>> outputs = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            outputs.add(CompletableFuture.supplyAsync(() -> {
                try (Sandbox sandbox = resume()) {
                    var run = new ProgramRun(sandbox);
                    run.outcome(HELLO);
                    return run.output();
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }));
        }
        for (var output : outputs) {
            assertThat(output.get(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("hello\n");
        }
    }

    @Test
    void aGuestHasTheTimeOfTheHost() throws Exception {
        try (Sandbox sandbox = resume()) {
            Instant before = Instant.now();
            assertThat(new ProgramRun(sandbox).ready().clock()).isBetween(before, Instant.now());
        }
    }

    @Test
    void killEndsABlockedRunAndKeepsItsOutput() throws Exception {
        try (Sandbox sandbox = resume()) {
            var run = new ProgramRun(sandbox);
            var _ = run.afterOutput(sandbox::kill);

            assertThat(run.outcome(SLEEP)).isInstanceOf(Lost.class);

            assertThat(run.output()).isEqualTo("started\n");
        }
    }

    @Test
    void killEndsABlockedHandshake() throws Exception {
        try (Sandbox sandbox = resume()) {
            var session = new GuestSession(sandbox.channel());
            var parked = CompletableFuture.runAsync(() -> {
                try {
                    session.awaitParked();
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });

            sandbox.kill();

            assertThat(parked).failsWithin(DEADLINE);
        }
    }

    @Test
    void aSandboxWhoseProcessesDieIsLost() throws Exception {
        try (Sandbox sandbox = resume()) {
            var run = new ProgramRun(sandbox);
            var _ = run.afterOutput(() -> {
                try {
                    crash(sandbox);
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });

            assertThat(run.outcome(SLEEP)).isInstanceOf(Lost.class);

            sandbox.kill();
            assertThat(sandbox.usage().oomKilled()).isFalse();
        }
    }

    @Test
    void hostOrGuestTellsThatMemoryRanOut() throws Exception {
        expectOutOfMemory();
        try (Sandbox sandbox = resume()) {
            var run = new ProgramRun(sandbox);

            GuestOutcome outcome = run.outcome(USE_UP_MEMORY);

            sandbox.kill();
            assertThat(ranOutOfMemory(outcome, sandbox)).isTrue();
            assertThat(run.output()).isEqualTo("started\n");
            if (outcome instanceof Exited exited) {
                assertThat(exited).returns(true, Exited::signaled).returns(9, Exited::statusOrSignal);
            } else {
                assertThat(outcome).isInstanceOf(Lost.class);
            }
        }
    }

    @Test
    void aSandboxThatWaitedGetsTheLimitsOfItsRun() throws Exception {
        var waiting = new HostLimits(16 << 20, 1.0, 64, HostLimits.Priority.BACKGROUND);
        try (Sandbox sandbox = backend.resume(template, waiting, DEADLINE)) {
            var run = new ProgramRun(sandbox);

            sandbox.limit(LIMITS);

            GuestOutcome outcome = run.outcome(HOLD_24_MIB);

            assertThat(outcome).isInstanceOf(Exited.class);
            assertThat(run.output()).isEqualTo("started\n25165824\n");
            sandbox.kill();
            assertThat(sandbox.usage().cpuTime()).isPositive();
            assertThat(ranOutOfMemory(outcome, sandbox)).isFalse();
            assertThat(peak(outcome, sandbox)).isBetween(16L << 20, LIMITS.memoryBytes());
        }
    }

    @Test
    void limitsCanAlsoBeLowered() throws Exception {
        expectOutOfMemory();
        try (Sandbox sandbox = resume()) {
            var run = new ProgramRun(sandbox);

            sandbox.limit(new HostLimits(32 << 20, 1.0, 64));

            GuestOutcome outcome = run.outcome(Language.BASH, USE_UP_MEMORY, 32 << 20);
            sandbox.kill();
            assertThat(ranOutOfMemory(outcome, sandbox)).isTrue();
            assertThat(peak(outcome, sandbox)).isLessThan(64 << 20);
        }
    }

    @Test
    void aKilledSandboxTakesNoLimits() throws Exception {
        try (Sandbox sandbox = resume()) {
            sandbox.kill();

            assertThatThrownBy(() -> sandbox.limit(LIMITS)).isInstanceOf(SandboxException.class);
        }
    }

    @Test
    void closeLeavesNothingOnTheHost() throws Exception {
        Set<String> before = traces();
        Sandbox sandbox = resume();
        Sandbox unused = resume();
        assertThat(traces()).hasSizeGreaterThan(before.size());
        new ProgramRun(sandbox).outcome(HELLO);

        sandbox.close();
        unused.close();

        assertThat(traces()).isEqualTo(before);
    }

    @Test
    void theEndOfASandboxIsToldWhetherItDiedOrWasKilled() throws Exception {
        try (Sandbox died = resume();
                Sandbox killed = resume();
                Sandbox alive = resume()) {
            crash(died);
            killed.kill();

            assertThat(died.onExit()).succeedsWithin(DEADLINE);
            assertThat(killed.onExit()).succeedsWithin(DEADLINE);
            assertThat(alive.onExit()).isNotDone();
        }
    }

    @Test
    void aTemplateTellsWhatASandboxThatWaitsTakes() {
        assertThat(template.readyBytes()).isBetween(1L << 20, 512L << 20);
    }

    @Test
    void killingAndClosingTwiceIsFine() throws Exception {
        Sandbox sandbox = resume();
        sandbox.kill();
        sandbox.kill();
        sandbox.close();
        sandbox.close();
        sandbox.kill();
    }

    @Test
    @Order(Integer.MAX_VALUE)
    void closingTheBackendEndsAllItsSandboxes() throws Exception {
        Set<String> before = traces();
        var run = new ProgramRun(resume());
        CompletableFuture<Void> closed = run.afterOutput(backend::close);
        closedByTest = true;

        assertThat(run.outcome(SLEEP)).isInstanceOf(Lost.class);

        assertThat(closed).succeedsWithin(DEADLINE);
        assertThat(traces()).isEqualTo(before);
        assertThatThrownBy(this::resume)
                .isInstanceOfSatisfying(
                        SandboxException.class, e -> assertThat(e.code()).isEqualTo(Code.CLOSED));
    }

    @Test
    void aTemplateOfSomebodyElseIsRefused() throws Exception {
        Set<String> before = traces();
        record Foreign(Language language, int variant, String key, long readyBytes) implements Template {}

        assertThatThrownBy(() -> backend.resume(new Foreign(Language.BASH, 0, "foreign", 0), LIMITS, DEADLINE))
                .isInstanceOfSatisfying(
                        SandboxException.class, e -> assertThat(e.code()).isEqualTo(Code.TEMPLATE_CORRUPT));
        assertThat(traces()).isEqualTo(before);
    }

    @Test
    void templatesAreNamedByWhatWentIntoThem() throws Exception {
        assertThat(backend.prepare(Language.BASH, 0, DEADLINE).key()).isEqualTo(template.key());
        assertThat(backend.prepare(Language.BASH, 1, DEADLINE).key()).isNotEqualTo(template.key());
    }

    /** Where the guest has cgroups it counts, else the host does. */
    private static boolean ranOutOfMemory(GuestOutcome outcome, Sandbox sandbox) {
        return sandbox.usage().oomKilled() || (outcome instanceof Exited exited && exited.outOfMemory());
    }

    private static long peak(GuestOutcome outcome, Sandbox sandbox) {
        return outcome instanceof Exited exited && exited.peakMemoryBytes() > 0
                ? exited.peakMemoryBytes()
                : sandbox.usage().peakMemoryBytes();
    }
}
