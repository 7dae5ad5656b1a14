package io.hexr.sandbox.pool;

import static io.hexr.sandbox.guest.Language.BASH;
import static io.hexr.sandbox.guest.Language.JAVASCRIPT;
import static io.hexr.sandbox.guest.Language.PYTHON;
import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.guest.FakeGuest.Manners;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.sandbox.FakeBackend;
import io.hexr.sandbox.sandbox.HostLimits;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What waits for calls, with fakes; what the real backends add to it is in their own tests and in those of the running engine. */
@Timeout(60)
class ReadyPoolTest {
    private static final HostLimits LIMITS = new HostLimits(64 << 20, 1.0, 16);
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(200);

    private final FakeBackend backend = new FakeBackend((_, process) -> process.exit(0));
    private final PoolEvents events = new PoolEvents();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private @Nullable SandboxPool opened;

    @AfterEach
    void nothingIsLeft() {
        if (opened != null) {
            opened.close();
        }
        backend.close(); // and with it a refill under way
        timer.shutdownNow();
        assertThat(backend.liveIds()).isEmpty();
    }

    @Test
    void aCallTakesOneThatWaitsAndAnotherIsMade() throws Exception {
        var pool = full(Pools.limits(2));
        int made = backend.resumes();

        var taken = pool.take(PYTHON, LIMITS);

        assertThat(taken.waited()).isTrue();
        assertThat(backend.limitsGiven()).contains(LIMITS);
        Pools.await(pool, levels -> levels.ready(PYTHON) == 2);
        assertThat(backend.resumes()).isEqualTo(made + 1);
        taken.sandbox().close();
    }

    @Test
    void whileOthersWaitAnotherIsMadeOnlyWhenTheCallIsOver() throws Exception {
        var pool = full(Pools.limits(2, LONG));
        int made = backend.resumes();

        var taken = pool.take(PYTHON, LIMITS);
        assertThat(pool.levels().languages())
                .extracting(PoolLevels.Level::refilling)
                .as("refills beside the call")
                .containsExactly(0, 0, 0);
        taken.sandbox().close();

        Pools.await(pool, Pools.Levels::full);
        assertThat(backend.resumes()).isEqualTo(made + 1);
    }

    @Test
    void aCallThatRunsLongIsNotWaitedFor() throws Exception {
        var pool = full(Pools.limits(2, SHORT));
        var taken = pool.take(PYTHON, LIMITS);
        Pools.await(pool, Pools.Levels::full);
        assertThat(backend.liveIds()).contains(taken.sandbox().id());
        taken.sandbox().close();
    }

    @Test
    void aCallThatTakesTheLastOneIsNotWaitedFor() throws Exception {
        var pool = full(Pools.limits(1, LONG));
        var taken = pool.take(PYTHON, LIMITS);
        Pools.await(pool, Pools.Levels::full);
        assertThat(backend.liveIds()).contains(taken.sandbox().id());
        taken.sandbox().close();
    }

    @Test
    void noneIsHandedOutTwice() throws Exception {
        var pool = full(Pools.limits(4));
        List<Future<ReadySandbox>> calls = new ArrayList<>();
        Set<String> ids = new TreeSet<>();
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int call = 0; call < 40; call++) {
                calls.add(callers.submit(() -> pool.take(BASH, LIMITS)));
            }
        }
        for (var call : calls) {
            ids.add(call.get().sandbox().id());
            call.get().sandbox().close();
        }
        assertThat(ids).hasSize(40);
    }

    @Test
    void thoseThatWaitLongestAreTakenFirstSoThatTemplatesTakeTurns() throws Exception {
        var pool = full(Pools.limits(3));
        assertThat(backend.resumed().stream().filter(key -> key.startsWith("python")))
                .containsExactly("python-0", "python-1", "python-0");
        List<String> waiting = new ArrayList<>();
        for (int call = 0; call < 3; call++) {
            var taken = pool.take(PYTHON, LIMITS);
            waiting.add(taken.sandbox().id());
            taken.sandbox().close();
        }
        assertThat(waiting).isSorted();
    }

    @Test
    void callsThatFindNoneLetThePoolGrowUpToItsMost() throws Exception {
        var pool = full(Pools.limits(1, 3, 100 * Pools.BYTES_EACH, LONG));
        backend.expect(Manners.GOOD);
        List<ReadySandbox> taken = new ArrayList<>();
        int onDemand = 0;
        while (onDemand < 5) {
            var next = pool.take(BASH, LIMITS);
            onDemand += next.waited() ? 0 : 1;
            taken.add(next);
        }
        Pools.await(pool, levels -> levels.ready(BASH) == 3);
        assertThat(pool.levels().languages())
                .extracting(PoolLevels.Level::target)
                .containsExactly(1, 1, 3);
        taken.forEach(sandbox -> sandbox.sandbox().close());
    }

    @Test
    void allTogetherHoldNoMoreThanTheirMemory() throws Exception {
        var pool = full(Pools.limits(10, 10, 7 * Pools.BYTES_EACH, LONG));
        assertThat(pool.levels().languages())
                .extracting(PoolLevels.Level::ready)
                .containsExactly(3, 2, 2);
        assertThat(backend.mostLive()).isEqualTo(7);
        assertThat(pool.levels().usedBytes()).isEqualTo(pool.levels().memoryBytes());
    }

    @Test
    void aLanguageThatIsCalledGetsTheMemoryOfOneThatNobodyCallsAnyMore() throws Exception {
        var pool = full(Pools.limits(1, 4, 4 * Pools.BYTES_EACH, LONG));
        takeOnDemand(pool, PYTHON);
        Pools.await(pool, levels -> levels.ready(PYTHON) == 2);
        takeOnDemand(pool, BASH);
        takeOnDemand(pool, JAVASCRIPT);
        Pools.await(pool, Pools.Levels::full);
        assertThat(backend.liveIds()).hasSizeLessThanOrEqualTo(4);
    }

    @Test
    void oneThatDiesWhileItWaitsIsReplacedAndNotHandedOut() throws Exception {
        var pool = full(Pools.limits(1));
        Set<String> before = backend.liveIds();

        before.forEach(backend::crash);

        Pools.await(pool, levels -> levels.full() && backend.liveIds().stream().noneMatch(before::contains));
        try (var taken = pool.take(BASH, LIMITS).sandbox()) {
            assertThat(before).doesNotContain(taken.id());
        }
        assertThat(events.all())
                .contains(
                        "discarded python DIED",
                        "discarded javascript DIED",
                        "discarded bash DIED",
                        "taken bash ready");
    }

    @Test
    void oneThatIsOldIsReplaced() throws Exception {
        var pool = full(Pools.limits(1, 1, 100 * Pools.BYTES_EACH, SHORT));
        Set<String> before = backend.liveIds();

        Pools.await(pool, levels -> levels.full() && backend.liveIds().stream().noneMatch(before::contains));
        assertThat(events.all()).contains("discarded python OLD", "discarded javascript OLD", "discarded bash OLD");
    }

    @Test
    void aGuestThatDoesNotAnswerIsNotPutOnTheShelf() throws Exception {
        backend.expect(Manners.MUTE);
        var pool = open(SHORT, Pools.limits(1));
        Pools.await(pool, Pools.Levels::full);
        // On a busy machine another one may miss so short a deadline.
        assertThat(backend.resumes()).isGreaterThanOrEqualTo(4);
        assertThat(backend.liveIds()).hasSize(3).doesNotContain("fake-1");
    }

    @Test
    void noMoreThanAllowedAreMadeAtOnce() throws Exception {
        backend.expect(Manners.MUTE);
        var pool = open(LONG, Pools.limits(5));
        Pools.await(pool, _ -> backend.resumes() == 1);
        assertThat(pool.levels().languages())
                .extracting(PoolLevels.Level::refilling)
                .containsExactly(1, 0, 0);
        var taken = pool.take(BASH, LIMITS);
        assertThat(taken.waited()).as("a call does not wait for a refill").isFalse();
        assertThat(backend.resumes()).isEqualTo(2);
        taken.sandbox().close();
        backend.close(); // ends the mute one
    }

    @Test
    void whileRefillsFailTheHostIsBrokenAndItTurnsBackByItself() throws Exception {
        for (int failure = 0; failure < 4; failure++) {
            backend.failResume(Code.HOST_RESOURCE);
        }
        var pool = open(LONG, Pools.limits(1));
        Pools.await(pool, levels -> pool.isBroken() && levels.all().failures() >= 3);

        Pools.await(pool, Pools.Levels::full);

        assertThat(pool.isBroken()).isFalse();
        assertThat(pool.levels().failures()).isZero();
        assertThat(backend.resumes()).isEqualTo(4 + 3);
    }

    @Test
    void aRefillThatTheJvmCannotDoTakesNoPlaceFromTheNext() throws Exception {
        backend.failResume(new OutOfMemoryError("unable to create native thread, as the test asked"));
        var pool = open(LONG, Pools.limits(1));

        Pools.await(pool, Pools.Levels::full);

        assertThat(backend.resumes()).isEqualTo(1 + 3);
    }

    @Test
    void aClosedPoolKeepsNoneButCallsAreStillServed() throws Exception {
        var pool = full(Pools.limits(2));
        pool.close();
        assertThat(backend.liveIds()).isEmpty();
        assertThat(events.all()).filteredOn("discarded bash CLOSED"::equals).hasSize(2);

        try (var taken = pool.take(BASH, LIMITS).sandbox()) {
            assertThat(backend.liveIds()).containsExactly(taken.id());
        }
        assertThat(backend.liveIds()).isEmpty();
    }

    private static void takeOnDemand(SandboxPool pool, Language language) throws SandboxException {
        ReadySandbox taken;
        do {
            taken = pool.take(language, LIMITS);
            taken.sandbox().close();
        } while (taken.waited());
    }

    private SandboxPool full(ReadyLimits limits) throws SandboxException {
        var pool = open(LONG, limits);
        Pools.await(pool, Pools.Levels::full);
        return pool;
    }

    private SandboxPool open(Duration resumeDeadline, ReadyLimits limits) throws SandboxException {
        var pool = SandboxPool.open(backend, Map.of(PYTHON, 2), LONG, resumeDeadline, limits, timer, List.of(events));
        opened = pool;
        return pool;
    }
}
