package io.hexr.sandbox.exec;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is left of one quota of one caller.
 *
 * @param name as the policy spells it
 * @param unit what is counted
 * @param limit units that it has when it is full
 * @param window in which so many come back; null for what comes back when a call ends
 * @param remaining whole units that are left
 * @param reset until it is full again; null without a window
 */
public record QuotaLevel(
        String name,
        Unit unit,
        long limit,
        @Nullable Duration window,
        long remaining,
        @Nullable Duration reset) {

    /** As the registry of draft-ietf-httpapi-ratelimit-headers has them, and one that is not there. */
    public enum Unit {
        REQUESTS("requests"),
        CONCURRENT_REQUESTS("concurrent-requests"),
        CPU_SECONDS("cpu-seconds");

        private final String id;

        Unit(String id) {
            this.id = id;
        }

        public String id() {
            return id;
        }
    }
}
