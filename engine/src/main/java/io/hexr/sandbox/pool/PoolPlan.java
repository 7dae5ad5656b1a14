package io.hexr.sandbox.pool;

import io.hexr.sandbox.guest.Language;
import java.util.EnumMap;
import java.util.Map;

/** How the memory of the pool is shared out; pure functions. */
final class PoolPlan {
    private PoolPlan() {}

    /**
     * What one language would like.
     *
     * @param sandboxes how many it wants
     * @param bytes memory of each
     */
    record Wish(int sandboxes, long bytes) {}

    /** How many sandboxes each language gets: one after the other in turn, so that none is short because another wants much. */
    static Map<Language, Integer> targets(Map<Language, Wish> wishes, long memoryBytes) {
        var targets = new EnumMap<Language, Integer>(Language.class);
        wishes.keySet().forEach(language -> targets.put(language, 0));
        long left = memoryBytes;
        boolean given = true;
        while (given) {
            given = false;
            for (var wish : wishes.entrySet()) {
                int target = targets.getOrDefault(wish.getKey(), 0);
                if (target < wish.getValue().sandboxes() && wish.getValue().bytes() <= left) {
                    targets.put(wish.getKey(), target + 1);
                    left -= wish.getValue().bytes();
                    given = true;
                }
            }
        }
        return targets;
    }
}
