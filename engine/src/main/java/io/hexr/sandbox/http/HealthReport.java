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
 */
public record HealthReport(
        State state,
        @Nullable String reason,
        String version,
        @Nullable BackendInfo backend,
        List<LanguageInfo> languages,
        Load load) {

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
     * How busy the engine is.
     *
     * @param capacity sandboxes that may exist at once
     * @param queueLength calls that may wait
     */
    public record Load(int capacity, int running, int queueLength, int waiting) {}
}
