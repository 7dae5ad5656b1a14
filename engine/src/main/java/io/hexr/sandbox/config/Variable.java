package io.hexr.sandbox.config;

/**
 * One environment variable.
 *
 * @param defaultText the default as one would write it, or how it is computed
 * @param computed whether the default depends on the machine or on other variables
 * @param secret whether what it holds must not be shown
 */
record Variable<T>(
        String name, String defaultText, boolean computed, boolean secret, ValueKind<T> kind, String meaning) {

    static <T> Variable<T> fixed(String name, String defaultText, ValueKind<T> kind, String meaning) {
        return new Variable<>(name, defaultText, false, false, kind, meaning);
    }

    static <T> Variable<T> computed(String name, String how, ValueKind<T> kind, String meaning) {
        return new Variable<>(name, how, true, false, kind, meaning);
    }

    /** One that has no default. */
    static <T> Variable<T> secret(String name, ValueKind<T> kind, String meaning) {
        return new Variable<>(name, "none", true, true, kind, meaning);
    }

    T fixedDefault() {
        return kind.read()
                .apply(defaultText)
                .orElseThrow(() -> new IllegalStateException(name + " has no fixed default: " + defaultText));
    }
}
