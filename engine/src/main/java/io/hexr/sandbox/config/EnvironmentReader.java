package io.hexr.sandbox.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads variables and remembers every one that is wrong, so that an operator sees all of them after one try. */
final class EnvironmentReader {
    private static final int SHOWN = 80;

    private final Map<String, String> environment;
    private final List<ConfigException.Problem> problems = new ArrayList<>();

    EnvironmentReader(Map<String, String> environment) {
        this.environment = environment;
    }

    <T> T read(Variable<T> variable) {
        return readOptional(variable).orElseGet(variable::fixedDefault);
    }

    <T> T read(Variable<T> variable, T computedDefault) {
        return readOptional(variable).orElse(computedDefault);
    }

    /** An empty variable counts as one that is not set: that is what a template or a compose file leaves when it has no value. */
    <T> Optional<T> readOptional(Variable<T> variable) {
        String text = environment.getOrDefault(variable.name(), "").strip();
        if (text.isEmpty()) {
            return Optional.empty();
        }
        var value = variable.kind().read().apply(text);
        if (value.isEmpty()) {
            reject(variable, text, variable.kind().legal());
        }
        return value;
    }

    /** Rejects what was given, legal by itself but not beside the other variables. */
    void reject(Variable<?> variable, String legal) {
        reject(variable, environment.getOrDefault(variable.name(), ""), legal);
    }

    void reject(Variable<?> variable, Object given, String legal) {
        String text = variable.secret() ? "(not shown)" : given.toString();
        String shown = text.length() > SHOWN ? text.substring(0, SHOWN) + "…" : text;
        problems.add(new ConfigException.Problem(variable.name(), shown, legal));
    }

    boolean accepted(Variable<?> variable) {
        return problems.stream().noneMatch(problem -> problem.variable().equals(variable.name()));
    }

    void throwIfRejected() throws ConfigException {
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
    }
}
