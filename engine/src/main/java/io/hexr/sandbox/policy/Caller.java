package io.hexr.sandbox.policy;

import io.hexr.sandbox.identity.CallerIdentity;

/** Who calls and what they may. */
public record Caller(CallerIdentity identity, Allowance allowance) {
    public static final Caller ANONYMOUS = new Caller(CallerIdentity.ANONYMOUS, Allowance.UNLIMITED);

    public String name() {
        return identity.name();
    }
}
