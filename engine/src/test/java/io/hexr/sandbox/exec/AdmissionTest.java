package io.hexr.sandbox.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class AdmissionTest {
    private static final Cancellation NEVER = new Cancellation();
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(50);

    @Test
    void admitsUpToTheCapacityAtOnce() throws Exception {
        var admission = new Admission(2, 0, LONG);
        admission.acquire("a", NEVER);
        admission.acquire("a", NEVER);
        assertThat(admission.running()).isEqualTo(2);
        assertThatThrownBy(() -> admission.acquire("a", NEVER)).isInstanceOfSatisfying(EngineException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.QUEUE_FULL);
            assertThat(e.retryAfter()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(60));
        });
    }

    @Test
    void oneWhoWaitsIsAdmittedWhenAPermitIsReturned() throws Exception {
        var admission = new Admission(1, 1, LONG);
        var permit = admission.acquire("a", NEVER);
        var second = async(admission);
        awaitWaiting(admission, 1);
        permit.close();
        permit.close(); // twice returns one permit, not two
        second.get(10, TimeUnit.SECONDS);
        assertThat(admission.running()).isEqualTo(1);
        assertThat(admission.waiting()).isZero();
        assertThat(admission.awaitIdle(SHORT)).isFalse();
    }

    @Test
    void oneWhoWaitsTooLongIsToldWhenToComeBack() throws Exception {
        var admission = new Admission(1, 1, SHORT);
        admission.acquire("a", NEVER);
        assertThatThrownBy(() -> admission.acquire("a", NEVER)).isInstanceOfSatisfying(EngineException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.QUEUE_TIMEOUT);
            assertThat(e.retryAfter()).isNotNull();
        });
        assertThat(admission.waiting()).isZero();
    }

    @Test
    void nobodyIsAdmittedOnceItIsClosedNotEvenFromTheQueue() throws Exception {
        var admission = new Admission(1, 1, LONG);
        var permit = admission.acquire("a", NEVER);
        var queued = async(admission);
        awaitWaiting(admission, 1);
        admission.close();
        assertThatThrownBy(() -> admission.acquire("a", NEVER))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DRAINING));
        permit.close();
        assertThatThrownBy(() -> queued.get(10, TimeUnit.SECONDS))
                .cause()
                .cause()
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DRAINING));
        assertThat(admission.awaitIdle(LONG)).isTrue();
    }

    @Test
    void nobodyGetsPastThoseWhoWait() throws Exception {
        for (int round = 0; round < 20; round++) {
            var admission = new Admission(1, 2, LONG);
            var first = admission.acquire("a", NEVER);
            List<String> order = new CopyOnWriteArrayList<>();
            var waiter = async(admission).thenAccept(permit -> {
                order.add("who waited");
                permit.close();
            });
            awaitWaiting(admission, 1);
            first.close();
            var late = admission.acquire("a", NEVER);
            order.add("who came later");
            late.close();
            waiter.get(10, TimeUnit.SECONDS);
            assertThat(order).containsExactly("who waited", "who came later");
        }
    }

    /** Ten calls of one caller wait before the first of another comes: it is second in turn, not eleventh. */
    @Test
    void callersTakeTurnsHoweverManyCallsOneHasWaiting() throws Exception {
        var admission = new Admission(1, 100, LONG);
        var running = admission.acquire("noisy", NEVER);
        List<String> order = new CopyOnWriteArrayList<>();
        var all = new ArrayList<CompletableFuture<Void>>();
        for (int i = 0; i < 10; i++) {
            all.add(enter(admission, "noisy", order));
            awaitWaiting(admission, i + 1);
        }
        for (int i = 0; i < 2; i++) {
            all.add(enter(admission, "quiet", order));
            awaitWaiting(admission, 11 + i);
        }
        running.close();
        for (var call : all) {
            call.get(10, TimeUnit.SECONDS);
        }

        assertThat(order)
                .startsWith("noisy", "quiet", "noisy", "quiet", "noisy")
                .hasSize(12);
    }

    @Test
    void aFullQueueMakesRoomForWhoHasLessInIt() throws Exception {
        var admission = new Admission(1, 3, LONG);
        var running = admission.acquire("noisy", NEVER);
        var first = async(admission, "noisy");
        awaitWaiting(admission, 1);
        var second = async(admission, "noisy");
        awaitWaiting(admission, 2);
        var third = async(admission, "noisy");
        awaitWaiting(admission, 3);

        var quiet = async(admission, "quiet");
        assertThatThrownBy(() -> third.get(10, TimeUnit.SECONDS))
                .cause()
                .cause()
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.QUEUE_FULL));
        assertThatThrownBy(() -> admission.acquire("noisy", NEVER))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.QUEUE_FULL));
        running.close();
        first.get(10, TimeUnit.SECONDS).close();
        quiet.get(10, TimeUnit.SECONDS).close();
        second.get(10, TimeUnit.SECONDS).close();
        assertThat(admission.awaitIdle(LONG)).isTrue();
    }

    private static CompletableFuture<Void> enter(Admission admission, String caller, List<String> order) {
        return async(admission, caller).thenAccept(permit -> {
            order.add(caller);
            permit.close();
        });
    }

    private static CompletableFuture<Admission.Permit> async(Admission admission) {
        return async(admission, "a");
    }

    /** On a thread of its own: the common pool has too few for those who wait. */
    private static CompletableFuture<Admission.Permit> async(Admission admission, String caller) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return admission.acquire(caller, NEVER);
                    } catch (EngineException e) {
                        throw new IllegalStateException(e);
                    }
                },
                Thread::startVirtualThread);
    }

    private static void awaitWaiting(Admission admission, int count) {
        while (admission.waiting() != count) {
            Thread.onSpinWait();
        }
    }
}
