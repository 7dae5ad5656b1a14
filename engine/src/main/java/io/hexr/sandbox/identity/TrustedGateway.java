package io.hexr.sandbox.identity;

import java.net.InetAddress;
import java.util.Optional;
import java.util.regex.Pattern;

/** A peer whose word on the caller is believed. */
public sealed interface TrustedGateway {
    /** What an entry may be, as the end of a sentence. */
    String LEGAL = "a SPIFFE ID, an address or network such as 127.0.0.1 or 10.0.0.0/8, or unix";

    /** Shows an SVID with this ID. */
    record Workload(SpiffeId id) implements TrustedGateway {}

    /** Connects from an address of this network; only as good as the network's guard against false addresses. */
    record Network(InetAddress address, int prefixLength) implements TrustedGateway {
        boolean contains(InetAddress peer) {
            byte[] a = address.getAddress();
            byte[] b = peer.getAddress();
            if (a.length != b.length) {
                return false;
            }
            for (int bit = 0; bit < prefixLength; bit++) {
                int mask = 0x80 >> bit % 8;
                if ((a[bit / 8] & mask) != (b[bit / 8] & mask)) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Whoever may open the unix socket on which the engine listens. */
    record UnixSocket() implements TrustedGateway {}

    static Optional<TrustedGateway> parse(String text) {
        if (text.equals("unix")) {
            return Optional.of(new UnixSocket());
        }
        return text.startsWith("spiffe:") ? SpiffeId.parse(text).map(Workload::new) : Networks.parse(text);
    }

    /** Reads addresses and networks. */
    final class Networks {
        /** Literals only, all four numbers of IPv4: nothing is looked up, and 10.1 is not 10.0.0.1. */
        private static final Pattern FORM =
                Pattern.compile("(\\d+\\.\\d+\\.\\d+\\.\\d+|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*)(?:/(\\d{1,3}))?");

        private Networks() {}

        private static Optional<TrustedGateway> parse(String text) {
            var matcher = FORM.matcher(text);
            if (!matcher.matches()) {
                return Optional.empty();
            }
            try {
                var address = InetAddress.ofLiteral(matcher.group(1));
                int bits = address.getAddress().length * 8;
                int prefix = matcher.group(2) == null ? bits : Integer.parseInt(matcher.group(2));
                return prefix <= bits ? Optional.of(new Network(address, prefix)) : Optional.empty();
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        }
    }
}
