package io.hexr.sandbox.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FailureStreakTest {
    private final AtomicLong now = new AtomicLong();
    private final FailureStreak failures = new FailureStreak(now::get);

    @Test
    void oneFailureIsBadLuckAndThreeInARowAreNot() {
        failures.add();
        failures.add();
        assertThat(failures.isGoingOn()).isFalse();
        failures.add();
        assertThat(failures.isGoingOn()).isTrue();
    }

    @Test
    void aSuccessEndsIt() {
        failures.add();
        failures.add();
        failures.end();
        failures.add();
        assertThat(failures.isGoingOn()).isFalse();
    }

    @Test
    void theHostIsLeftAloneLongerEachTimeAndNeverSoLongThatTheStreakIsForgotten() {
        failures.add();
        assertThat(failures.pause()).isEqualTo(Duration.ofMillis(100));
        failures.add();
        assertThat(failures.pause()).isEqualTo(Duration.ofMillis(200));
        for (int more = 0; more < 100; more++) {
            failures.add();
        }
        assertThat(failures.pause()).isEqualTo(Duration.ofSeconds(5));
        now.addAndGet(failures.pause().toNanos());
        assertThat(failures.isGoingOn()).isTrue();
    }

    @Test
    void itIsForgottenSoThatCallsComeAgainAndOneMoreFailureBringsItBack() {
        failures.add();
        failures.add();
        failures.add();
        now.addAndGet(Duration.ofSeconds(10).toNanos());
        assertThat(failures.isGoingOn()).isFalse();
        failures.add();
        assertThat(failures.isGoingOn()).isTrue();
    }
}
