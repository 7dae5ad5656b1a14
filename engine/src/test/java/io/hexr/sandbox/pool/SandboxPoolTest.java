package io.hexr.sandbox.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.guest.FakeGuest.Manners;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.sandbox.FakeBackend;
import io.hexr.sandbox.sandbox.HostLimits;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SandboxPoolTest {
    private static final HostLimits LIMITS = new HostLimits(64 << 20, 1.0, 16);
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(200);

    /** For one that does not answer, and on a busy machine enough for one that does. */
    private static final Duration MEDIUM = Duration.ofSeconds(3);

    private final FakeBackend backend = new FakeBackend((_, process) -> process.exit(0));
    private final PoolEvents events = new PoolEvents();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void nothingIsLeft() {
        timer.shutdownNow();
        assertThat(backend.liveIds()).isEmpty();
    }

    @Test
    void aSandboxThatIsTakenHasDoneItsHandshakeAndBelongsToItsTaker() throws Exception {
        var ready = pool(LONG).take(Language.PYTHON, LIMITS);
        assertThat(backend.liveIds()).containsExactly(ready.sandbox().id());
        ready.sandbox().close();
    }

    @Test
    void aGuestThatDoesNotAnswerIsKilledAndAnotherOneIsTaken() throws Exception {
        backend.expect(Manners.MUTE);
        var ready = pool(MEDIUM).take(Language.BASH, LIMITS);
        assertThat(backend.resumes()).isEqualTo(2);
        assertThat(backend.liveIds()).containsExactly(ready.sandbox().id());
        ready.sandbox().close();
    }

    @Test
    void twoGuestsThatDoNotAnswerAreAFailureOfTheHost() throws Exception {
        backend.expect(Manners.MUTE, Manners.MUTE);
        var pool = pool(SHORT);
        assertFails(Code.HANDSHAKE_FAILED, () -> pool.take(Language.BASH, LIMITS));
        assertThat(backend.resumes()).isEqualTo(2);
    }

    @Test
    void aResumeThatFailsIsTriedOnceMore() throws Exception {
        backend.failResume(Code.RESUME_FAILED);
        pool(LONG).take(Language.BASH, LIMITS).sandbox().close();
        assertThat(backend.resumes()).isEqualTo(2);

        backend.failResume(Code.RESUME_FAILED);
        backend.failResume(Code.RESUME_TIMEOUT);
        var pool = pool(LONG);
        assertFails(Code.RESUME_TIMEOUT, () -> pool.take(Language.BASH, LIMITS));
    }

    @Test
    void anObserverIsToldWhatBecomesOfTemplatesAndSandboxes() throws Exception {
        var pool = pool(LONG);
        assertThat(events.all())
                .containsExactlyInAnyOrder(
                        "prepared python", "prepared python", "prepared javascript", "prepared bash");
        events.clear();

        backend.failResume(Code.RESUME_FAILED);
        pool.take(Language.BASH, LIMITS).sandbox().close();

        assertThat(events.all())
                .containsExactly("resume of bash failed RESUME_FAILED", "resumed bash", "taken bash on demand");
    }

    @Test
    void aClosedBackendIsNotAskedAgainAndIsNotBroken() throws Exception {
        var pool = pool(LONG);
        backend.close();
        for (int call = 0; call < 5; call++) {
            assertFails(Code.CLOSED, () -> pool.take(Language.BASH, LIMITS));
        }
        assertThat(backend.resumes()).isEqualTo(5);
        assertThat(pool.isBroken()).isFalse();
    }

    @Test
    void aHostThatGivesNoSandboxesIsBrokenUntilItGivesOne() throws Exception {
        var pool = pool(LONG);
        for (int call = 0; call < 3; call++) {
            assertThat(pool.isBroken()).isFalse();
            backend.failResume(Code.HOST_RESOURCE);
            backend.failResume(Code.HOST_RESOURCE);
            assertFails(Code.HOST_RESOURCE, () -> pool.take(Language.BASH, LIMITS));
        }
        assertThat(pool.isBroken()).isTrue();
        pool.take(Language.BASH, LIMITS).sandbox().close();
        assertThat(pool.isBroken()).isFalse();
    }

    private SandboxPool pool(Duration resumeDeadline) throws SandboxException {
        return SandboxPool.open(
                backend, Map.of(Language.PYTHON, 2), LONG, resumeDeadline, Pools.NONE_WAITS, timer, List.of(events));
    }

    private static void assertFails(Code code, ThrowingCallable take) {
        assertThatThrownBy(take)
                .isInstanceOfSatisfying(
                        SandboxException.class, e -> assertThat(e.code()).isEqualTo(code));
    }
}
