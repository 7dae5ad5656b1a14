package io.hexr.sandbox.config;

/**
 * One environment variable.
 *
 * @param defaultText the default as one would write it, or how it is computed
 * @param computed whether the default depends on the machine or on other variables
 */
record Variable<T>(String name, String defaultText, boolean computed, ValueKind<T> kind, String meaning) {

    T fixedDefault() {
        return kind.read()
                .apply(defaultText)
                .orElseThrow(() -> new IllegalStateException(name + " has no fixed default: " + defaultText));
    }
}
