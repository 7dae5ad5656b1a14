package io.hexr.sandbox.client;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The environment, in which an empty variable counts as not set.
 *
 * @param lookup gives null for what is not there
 */
record Variables(Lookup lookup) {
    /** As {@link System#getenv(String)}. */
    interface Lookup {
        @Nullable
        String get(String name);
    }

    @Nullable
    String text(String name) {
        var value = lookup.get(name);
        return value == null || value.isEmpty() ? null : value;
    }

    @Nullable
    Path path(String name) {
        var value = text(name);
        return value == null ? null : Path.of(value);
    }

    @Nullable
    Duration seconds(String name) {
        var value = text(name);
        if (value == null) {
            return null;
        }
        try {
            // a cast saturates, and makes 0 of what is not a number; whether that is legal is for Settings to say
            return Duration.ofNanos((long) (Double.parseDouble(value) * 1e9));
        } catch (NumberFormatException e) {
            throw invalid(name, value, "a number of seconds");
        }
    }

    @Nullable
    Integer count(String name) {
        var value = text(name);
        try {
            return value == null ? null : Integer.valueOf(value);
        } catch (NumberFormatException e) {
            throw invalid(name, value, "an integer");
        }
    }

    private static ConfigurationException invalid(String name, @Nullable String value, String legal) {
        return Settings.invalid("%s is %s; legal: %s".formatted(name, value, legal));
    }
}
