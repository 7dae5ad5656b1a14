package io.hexr.sandbox.policy;

import io.hexr.sandbox.identity.CallerIdentity;
import java.util.List;
import java.util.Optional;

/** Rules in order; the first that matches a caller decides, and a caller that none matches may nothing. */
public record Policy(List<Rule> rules) {
    /** Of an engine without a policy: whoever is authenticated may what the engine can. */
    public static final Policy EVERYBODY = new Policy(List.of(new Rule(new Everybody(), Allowance.UNLIMITED)));

    public Policy {
        rules = List.copyOf(rules);
    }

    /** What callers of this pattern may. */
    public record Rule(Pattern pattern, Allowance allowance) {}

    /** Which callers a rule is for. */
    public sealed interface Pattern {
        boolean matches(String name);
    }

    record Everybody() implements Pattern {
        @Override
        public boolean matches(String name) {
            return true;
        }
    }

    /** One identity. */
    record Exactly(String name) implements Pattern {
        @Override
        public boolean matches(String other) {
            return name.equals(other);
        }
    }

    /**
     * All identities below a path.
     *
     * @param prefix ends with a slash, so that {@code /agent/} does not let {@code /agents} in
     */
    record Below(String prefix) implements Pattern {
        @Override
        public boolean matches(String name) {
            return name.startsWith(prefix);
        }
    }

    public Optional<Caller> admit(CallerIdentity identity) {
        return rules.stream()
                .filter(rule -> rule.pattern().matches(identity.name()))
                .findFirst()
                .map(rule -> new Caller(identity, rule.allowance()));
    }
}
