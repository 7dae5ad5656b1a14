package io.hexr.sandbox.http;

import io.hexr.sandbox.sandbox.BackendInfo;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How the engine is.
 *
 * @param reason why it does not serve; null when it does
 * @param version of the engine
 * @param backend null until one is chosen
 * @param languages empty until the guest image is read
 * @param pool null until it is open
 */
public record HealthReport(
        State state,
        @Nullable String reason,
        String version,
        @Nullable BackendInfo backend,
        List<LanguageInfo> languages,
        Load load,
        @Nullable Pool pool) {

    public HealthReport {
        languages = List.copyOf(languages);
    }

    public enum State {
        OK,
        STARTING,
        DRAINING,
        BROKEN
    }

    /**
     * A language and what its programs find installed.
     *
     * @param version of the interpreter
     * @param packages name and version of the libraries
     */
    public record LanguageInfo(String language, String version, Map<String, String> packages) {}

    /**
     * The sandboxes that wait for calls.
     *
     * @param memoryMb what they may hold together
     * @param usedMb what they and those that are being made hold at most
     * @param failures of making a sandbox, in a row; 0 when the last one succeeded
     */
    public record Pool(long memoryMb, long usedMb, int failures, List<PoolLevel> languages) {
        public Pool {
            languages = List.copyOf(languages);
        }
    }

    /**
     * The sandboxes of one language.
     *
     * @param ready wait
     * @param refilling are being made
     * @param target should wait, by what was asked for lately
     */
    public record PoolLevel(String language, int ready, int refilling, int target) {}

    /**
     * How busy the engine is.
     *
     * @param capacity calls that may run at once
     * @param queueLength calls that may wait
     */
    public record Load(int capacity, int running, int queueLength, int waiting) {}
}
