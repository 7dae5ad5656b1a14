package io.hexr.sandbox.identity;

/** Who calls, and how that is known. */
public sealed interface CallerIdentity {
    CallerIdentity ANONYMOUS = new Anonymous();

    /** For logs, records and policies. */
    String name();

    /** How the identity was proven, for records. */
    String proof();

    /** Nobody asked. */
    record Anonymous() implements CallerIdentity {
        @Override
        public String name() {
            return "anonymous";
        }

        @Override
        public String proof() {
            return "none";
        }
    }

    /**
     * A trusted gateway says so.
     *
     * @param gateway its SPIFFE ID, its address, or {@code unix}
     */
    record Forwarded(SpiffeId id, String gateway) implements CallerIdentity {
        @Override
        public String name() {
            return id.toString();
        }

        @Override
        public String proof() {
            return "xfcc from " + gateway;
        }
    }

    /** The caller's own SVID, shown in the TLS handshake. */
    record Verified(SpiffeId id) implements CallerIdentity {
        @Override
        public String name() {
            return id.toString();
        }

        @Override
        public String proof() {
            return "mtls";
        }
    }
}
