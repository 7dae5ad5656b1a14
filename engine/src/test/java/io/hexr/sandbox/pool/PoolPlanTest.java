package io.hexr.sandbox.pool;

import static io.hexr.sandbox.guest.Language.BASH;
import static io.hexr.sandbox.guest.Language.JAVASCRIPT;
import static io.hexr.sandbox.guest.Language.PYTHON;
import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.pool.PoolPlan.Wish;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PoolPlanTest {
    @Test
    void everybodyGetsWhatIsWishedWhereMemorySuffices() {
        assertThat(PoolPlan.targets(wishes(3, 0, 5), 8_000))
                .containsEntry(PYTHON, 3)
                .containsEntry(JAVASCRIPT, 0)
                .containsEntry(BASH, 5);
    }

    @Test
    void oneThatWishesMuchLeavesTheOthersTheirPart() {
        assertThat(PoolPlan.targets(wishes(100, 2, 3), 9_000))
                .containsEntry(PYTHON, 4)
                .containsEntry(JAVASCRIPT, 2)
                .containsEntry(BASH, 3);
    }

    @Test
    void smallOnesStillFitWhereALargeOneDoesNot() {
        Map<Language, Wish> wishes = new EnumMap<>(Language.class);
        wishes.put(PYTHON, new Wish(9, 1_000));
        wishes.put(BASH, new Wish(9, 100));

        assertThat(PoolPlan.targets(wishes, 1_350)).containsEntry(PYTHON, 1).containsEntry(BASH, 3);
    }

    @Test
    void withoutMemoryNoneWaits() {
        assertThat(PoolPlan.targets(wishes(1, 1, 1), 0))
                .containsOnly(Map.entry(PYTHON, 0), Map.entry(JAVASCRIPT, 0), Map.entry(BASH, 0));
    }

    private static Map<Language, Wish> wishes(int python, int javascript, int bash) {
        Map<Language, Wish> wishes = new EnumMap<>(Language.class);
        wishes.put(PYTHON, new Wish(python, 1_000));
        wishes.put(JAVASCRIPT, new Wish(javascript, 1_000));
        wishes.put(BASH, new Wish(bash, 1_000));
        return wishes;
    }
}
