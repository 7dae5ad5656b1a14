package io.hexr.sandbox.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;

/**
 * Holds the engine to a promise of time on a machine that may have other work: the bound must be kept once in three times. What is too slow by
 * itself never keeps it, and a stall of the machine does not come thrice.
 */
final class Promptly {
    private static final int TIMES = 3;

    private Promptly() {}

    interface Attempt {
        /** How long it took; whatever else is asserted must hold each time. */
        Duration took() throws Exception;
    }

    static void assertBelow(Duration bound, Attempt attempt) throws Exception {
        var took = new ArrayList<Duration>();
        do {
            took.add(attempt.took());
        } while (took.getLast().compareTo(bound) >= 0 && took.size() < TIMES);
        assertThat(took).as("one of them below %s", bound).anyMatch(each -> each.compareTo(bound) < 0);
    }
}
