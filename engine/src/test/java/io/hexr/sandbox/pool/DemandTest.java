package io.hexr.sandbox.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DemandTest {
    private final AtomicLong now = new AtomicLong();
    private final Demand demand = new Demand(now::get);

    @Test
    void nothingIsWantedBeforeACallFoundNone() {
        assertThat(demand.extra()).isZero();
    }

    @Test
    void asManyAreWantedAsFoundNone() {
        for (int call = 0; call < 8; call++) {
            demand.add();
        }
        assertThat(demand.extra()).isEqualTo(8);
    }

    @Test
    void theWishFadesInQuietTimes() {
        for (int call = 0; call < 8; call++) {
            demand.add();
        }
        now.addAndGet(Duration.ofMinutes(2).toNanos());
        assertThat(demand.extra()).isEqualTo(4);
        demand.add();
        assertThat(demand.extra()).isEqualTo(5);
        now.addAndGet(Duration.ofHours(1).toNanos());
        assertThat(demand.extra()).isZero();
    }
}
