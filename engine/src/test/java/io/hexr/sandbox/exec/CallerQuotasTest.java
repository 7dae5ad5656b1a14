package io.hexr.sandbox.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.identity.CallerIdentity;
import io.hexr.sandbox.identity.SpiffeId;
import io.hexr.sandbox.policy.Allowance;
import io.hexr.sandbox.policy.Caller;
import java.time.Duration;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;

class CallerQuotasTest {
    private static final double MUCH = 1e9;

    private long now;
    private final CallerQuotas quotas = new CallerQuotas(() -> now);

    private static Caller caller(String name, double requests, int concurrent, double runSeconds) {
        var id = SpiffeId.parse("spiffe://example.org/" + name).orElseThrow();
        return new Caller(
                new CallerIdentity.Verified(id),
                new Allowance(
                        requests, concurrent, runSeconds, Duration.ofHours(1), 1_000, EnumSet.allOf(Language.class)));
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    private void assertRefused(Caller caller, String quota, Duration delay) {
        assertThatThrownBy(() -> quotas.acquire(caller)).isInstanceOfSatisfying(EngineException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.RATE_LIMITED);
            assertThat(e.field()).isEqualTo(quota);
            assertThat(e.legal()).isNotBlank();
            assertThat(e.retryAfter()).isEqualTo(delay);
        });
    }

    @Test
    void requestsComeAtTheirRateAndTheWaitThatIsToldSuffices() throws Exception {
        var caller = caller("a", 2, 100, MUCH);
        quotas.acquire(caller).close();
        quotas.acquire(caller).close();

        assertRefused(caller, "requests_per_second", Duration.ofMillis(500));
        pass(Duration.ofMillis(500));
        quotas.acquire(caller).close();
        assertRefused(caller, "requests_per_second", Duration.ofMillis(500));
    }

    @Test
    void aRateBelowOneIsOneRequestNowAndThen() throws Exception {
        var caller = caller("a", 0.1, 100, MUCH);
        quotas.acquire(caller).close();

        assertRefused(caller, "requests_per_second", Duration.ofSeconds(10));
    }

    @Test
    void callsAtOnceAreThoseWhoseLeaseIsNotGivenBack() throws Exception {
        var caller = caller("a", MUCH, 2, MUCH);
        var first = quotas.acquire(caller);
        quotas.acquire(caller);

        assertRefused(caller, "concurrent", Duration.ofSeconds(1));
        first.close();
        first.close(); // twice gives one back, not two
        quotas.acquire(caller);
        assertRefused(caller, "concurrent", Duration.ofSeconds(1));
    }

    @Test
    void runTimeIsTakenOffAfterwardsAndComesBackOverTheMinute() throws Exception {
        var caller = caller("a", MUCH, 100, 60);
        var lease = quotas.acquire(caller);
        lease.ran(Duration.ofSeconds(90));
        lease.close();

        assertThatThrownBy(() -> quotas.acquire(caller))
                .isInstanceOfSatisfying(
                        EngineException.class,
                        e -> assertThat(e.retryAfter()).isBetween(Duration.ofSeconds(30), Duration.ofMillis(30_001)));
        pass(Duration.ofMillis(30_001));
        quotas.acquire(caller).close();
    }

    @Test
    void whatIsLeftIsToldBeforeTheFirstCallAndAfterEach() throws Exception {
        var caller = caller("a", 2, 3, 60);
        assertThat(quotas.levels(caller)).extracting(QuotaLevel::remaining).containsExactly(2L, 3L, 60L);
        assertThat(quotas.remembered()).as("asking counts for nothing").isZero();

        var lease = quotas.acquire(caller);
        lease.ran(Duration.ofMillis(90_500));
        assertThat(quotas.levels(caller))
                .containsExactly(
                        new QuotaLevel(
                                "requests_per_second",
                                QuotaLevel.Unit.REQUESTS,
                                2,
                                Duration.ofSeconds(1),
                                1,
                                Duration.ofMillis(500)),
                        new QuotaLevel("concurrent", QuotaLevel.Unit.CONCURRENT_REQUESTS, 3, null, 2, null),
                        new QuotaLevel(
                                "run_seconds_per_minute",
                                QuotaLevel.Unit.CPU_SECONDS,
                                60,
                                Duration.ofMinutes(1),
                                0,
                                Duration.ofMillis(90_500)));
        lease.close();
        assertThat(quotas.levels(caller("b", MUCH, 3, MUCH)))
                .extracting(QuotaLevel::name)
                .containsExactly("concurrent");
        assertThat(quotas.levels(Caller.ANONYMOUS)).isEmpty();
    }

    @Test
    void oneCallersUseIsNotAnothers() throws Exception {
        quotas.acquire(caller("a", 1, 1, 1)).ran(Duration.ofHours(1));

        quotas.acquire(caller("b", 1, 1, 1)).close();
    }

    @Test
    void aNewAllowanceCountsFromNowOnButForTheCallsThatRun() throws Exception {
        var lease = quotas.acquire(caller("a", 1, 1, MUCH));

        assertRefused(caller("a", MUCH, 1, MUCH), "concurrent", Duration.ofSeconds(1));
        quotas.acquire(caller("a", MUCH, 2, MUCH)).close();
        lease.close();
        quotas.acquire(caller("a", MUCH, 1, MUCH)).close();
    }

    @Test
    void callersThatHaveAllOfTheirAllowanceAreForgotten() throws Exception {
        for (int i = 0; i < 10_000; i++) {
            quotas.acquire(caller("c" + i, 1, 1, MUCH)).close();
        }
        assertThatThrownBy(() -> quotas.acquire(caller("new", 1, 1, MUCH)))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.QUEUE_FULL));
        pass(Duration.ofSeconds(2));
        quotas.acquire(caller("new", 1, 1, MUCH)).close();

        assertThat(quotas.remembered()).isEqualTo(1);
    }

    @Test
    void whoHasNoQuotaIsNotCounted() throws Exception {
        for (int i = 0; i < 100; i++) {
            quotas.acquire(Caller.ANONYMOUS);
        }
        assertThat(quotas.remembered()).isZero();
    }
}
