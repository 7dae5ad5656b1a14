package io.hexr.sandbox.client;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How the service is. The fields are those of the API (openapi.yaml).
 *
 * @param status {@code ok}, {@code starting}, {@code draining} or {@code broken}
 * @param reason why it does not run code; null when it does
 * @param backendReason why it is this backend
 * @param isolation what stands between a program and the host: {@code hardware} or {@code user_space_kernel}
 * @param pool null until there are any sandboxes that wait
 */
public record Health(
        String status,
        @Nullable String reason,
        String version,
        @Nullable String backend,
        @Nullable String backendVersion,
        @Nullable String backendReason,
        @Nullable String isolation,
        List<Language> languages,
        Load load,
        @Nullable Pool pool) {

    public Health {
        requireNonNull(status, "status");
        requireNonNull(version, "version");
        languages = List.copyOf(languages);
        requireNonNull(load, "load");
    }

    public boolean ok() {
        return status.equals("ok");
    }

    /** A language that the service runs, with the version of its interpreter and of its libraries. */
    public record Language(String language, String version, Map<String, String> packages) {
        public Language {
            requireNonNull(language, "language");
            requireNonNull(version, "version");
            packages = Map.copyOf(packages);
        }
    }

    /** How busy the service is: calls that may run and do, that may wait and do. */
    public record Load(int capacity, int running, int queueLength, int waiting) {}

    /** The sandboxes that wait for calls: what memory they may and do hold, failures of making one in a row, and by language. */
    public record Pool(long memoryMb, long usedMb, int failures, List<PoolLevel> languages) {
        public Pool {
            languages = List.copyOf(languages);
        }
    }

    /** The sandboxes of one language that wait, that are being made, and that should wait. */
    public record PoolLevel(String language, int ready, int refilling, int target) {
        public PoolLevel {
            requireNonNull(language, "language");
        }
    }
}
