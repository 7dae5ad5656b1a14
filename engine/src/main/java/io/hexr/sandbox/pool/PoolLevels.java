package io.hexr.sandbox.pool;

import io.hexr.sandbox.guest.Language;
import java.util.List;

/**
 * What waits at this moment.
 *
 * @param memoryBytes what all that wait may hold
 * @param usedBytes what they and those that are being made hold at most
 * @param failures of making one, in a row
 */
public record PoolLevels(long memoryBytes, long usedBytes, int failures, List<Level> languages) {
    /**
     * Sandboxes of one language.
     *
     * @param ready wait
     * @param refilling are being made
     * @param target should wait
     */
    public record Level(Language language, int ready, int refilling, int target) {}
}
