package io.hexr.sandbox.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class AdmissionTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(50);

    @Test
    void admitsUpToTheCapacityAtOnce() throws Exception {
        var admission = new Admission(2, 0, LONG);
        admission.acquire();
        admission.acquire();
        assertThat(admission.running()).isEqualTo(2);
        assertThatThrownBy(admission::acquire).isInstanceOfSatisfying(EngineException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.QUEUE_FULL);
            assertThat(e.retryAfter()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(60));
        });
    }

    @Test
    void oneWhoWaitsIsAdmittedWhenAPermitIsReturned() throws Exception {
        var admission = new Admission(1, 1, LONG);
        var permit = admission.acquire();
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
        admission.acquire();
        assertThatThrownBy(admission::acquire).isInstanceOfSatisfying(EngineException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.QUEUE_TIMEOUT);
            assertThat(e.retryAfter()).isNotNull();
        });
        assertThat(admission.waiting()).isZero();
    }

    @Test
    void nobodyIsAdmittedOnceItIsClosedNotEvenFromTheQueue() throws Exception {
        var admission = new Admission(1, 1, LONG);
        var permit = admission.acquire();
        var queued = async(admission);
        awaitWaiting(admission, 1);
        admission.close();
        assertThatThrownBy(admission::acquire)
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
            var first = admission.acquire();
            List<String> order = new CopyOnWriteArrayList<>();
            var waiter = async(admission).thenAccept(permit -> {
                order.add("who waited");
                permit.close();
            });
            awaitWaiting(admission, 1);
            first.close();
            var late = admission.acquire();
            order.add("who came later");
            late.close();
            waiter.get(10, TimeUnit.SECONDS);
            assertThat(order).containsExactly("who waited", "who came later");
        }
    }

    private static CompletableFuture<Admission.Permit> async(Admission admission) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return admission.acquire();
            } catch (EngineException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static void awaitWaiting(Admission admission, int count) {
        while (admission.waiting() != count) {
            Thread.onSpinWait();
        }
    }
}
