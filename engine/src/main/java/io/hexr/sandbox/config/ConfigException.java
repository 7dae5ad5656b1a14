package io.hexr.sandbox.config;

import java.util.List;
import java.util.stream.Collectors;

/** Everything that is wrong with the configuration, at once. */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient List<Problem> problems;

    ConfigException(List<Problem> problems) {
        super(problems.stream()
                .map(Problem::toString)
                .collect(Collectors.joining("\n  ", "The configuration is not valid:\n  ", "")));
        this.problems = List.copyOf(problems);
    }

    public List<Problem> problems() {
        return problems;
    }

    /** One variable, what it was given, and what it may be. */
    public record Problem(String variable, String given, String legal) {
        @Override
        public String toString() {
            return "%s=%s: must be %s".formatted(variable, given, legal);
        }
    }
}
