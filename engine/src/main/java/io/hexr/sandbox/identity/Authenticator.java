package io.hexr.sandbox.identity;

import io.hexr.sandbox.identity.AuthenticationException.Kind;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Decides who calls. Everything that is not exactly right is refused: a header that could be read in two ways is believed in none.
 *
 * <p>A certificate is verified at every request and not only in the handshake: connections live longer than certificates, and a bundle that
 * no longer has an authority ends the trust in what that authority signed.
 */
public final class Authenticator {
    private static final String XFCC = "x-forwarded-client-cert";
    private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");

    private final AuthMode mode;
    private final Set<TrustDomain> trustDomains;
    private final List<TrustedGateway> gateways;
    private final SvidVerifier verifier;

    /**
     * @param trustDomains whose callers are accepted
     * @param gateways who is believed in mode {@code xfcc}
     */
    public Authenticator(
            AuthMode mode, Set<TrustDomain> trustDomains, List<TrustedGateway> gateways, SvidVerifier verifier) {
        this.mode = mode;
        this.trustDomains = Set.copyOf(trustDomains);
        this.gateways = List.copyOf(gateways);
        this.verifier = verifier;
    }

    public CallerIdentity authenticate(Peer peer, List<Header> headers) throws AuthenticationException {
        return switch (mode) {
            case NONE -> CallerIdentity.ANONYMOUS;
            case MTLS -> {
                refuseForwarding(headers);
                yield new CallerIdentity.Verified(verifier.verify(peer.chain()));
            }
            case XFCC -> {
                String gateway = gateway(peer);
                yield new CallerIdentity.Forwarded(forwardedId(headers, gateway), gateway);
            }
        };
    }

    /** A gateway that forwards callers here would itself be taken for all of them. */
    private static void refuseForwarding(List<Header> headers) throws AuthenticationException {
        if (headers.stream().anyMatch(header -> normalized(header).equals(XFCC))) {
            throw new AuthenticationException(
                    Kind.HEADER, "The engine takes callers at their own certificates and no x-forwarded-client-cert.");
        }
    }

    /** The trusted gateway that the peer is. */
    private String gateway(Peer peer) throws AuthenticationException {
        for (TrustedGateway gateway : gateways) {
            switch (gateway) {
                case TrustedGateway.UnixSocket _ -> {
                    if (peer.address() == null) {
                        return "unix";
                    }
                }
                case TrustedGateway.Network network -> {
                    if (peer.address() != null && network.contains(peer.address())) {
                        return peer.address().getHostAddress();
                    }
                }
                // Below, once for all of them: a peer has one certificate.
                case TrustedGateway.Workload _ -> {}
            }
        }
        if (peer.chain().isEmpty()) {
            throw new AuthenticationException(
                    Kind.UNTRUSTED_PEER, "The peer shows no certificate and is no trusted gateway.");
        }
        SpiffeId id = verifier.verify(peer.chain());
        if (!gateways.contains(new TrustedGateway.Workload(id))) {
            throw new AuthenticationException(Kind.UNTRUSTED_PEER, "The peer is no trusted gateway.");
        }
        return id.toString();
    }

    private SpiffeId forwardedId(List<Header> headers, String gateway) throws AuthenticationException {
        var elements = XfccParser.parse(onlyHeader(headers));
        if (elements.size() != 1) {
            throw refused("has %d elements: the gateway must replace what clients send (SANITIZE_SET)"
                    .formatted(elements.size()));
        }
        var element = elements.getFirst();
        requireWrittenBy(gateway, element);
        if (element.uris().size() != 1) {
            throw refused("has %d URIs, where an SVID has exactly one"
                    .formatted(element.uris().size()));
        }
        SpiffeId id = SpiffeId.parse(element.uris().getFirst())
                .orElseThrow(() -> refused("has a URI that is not the SPIFFE ID of a workload"));
        if (!trustDomains.contains(id.trustDomain())) {
            throw new AuthenticationException(Kind.TRUST_DOMAIN, "Callers of this trust domain are not accepted.");
        }
        return id;
    }

    /**
     * Envoy always writes who it is and the certificate's hash. What it only passes on for its client (FORWARD_ONLY) can name the gateway just as
     * well, so this finds careless forgeries and no others; the gateway has to be set up right.
     */
    private static void requireWrittenBy(String gateway, XfccElement element) throws AuthenticationException {
        if (element.by().size() != 1 || element.hashes().size() != 1) {
            throw refused("lacks By or Hash, which a gateway always writes");
        }
        boolean known = SpiffeId.parse(gateway).isPresent();
        if (known && !element.by().getFirst().equals(gateway)) {
            throw refused("was not written by the gateway that sent it");
        }
        if (!SHA256.matcher(element.hashes().getFirst()).matches()) {
            throw refused("has a Hash that is no SHA-256");
        }
    }

    private static AuthenticationException refused(String what) {
        return new AuthenticationException(Kind.HEADER, "The header %s %s.".formatted(XFCC, what));
    }

    /** Proxies and frameworks read {@code X_Forwarded_Client_Cert} as the same header, and Envoy lets it pass: so it is never here by right. */
    private static String onlyHeader(List<Header> headers) throws AuthenticationException {
        var found = headers.stream()
                .filter(header -> normalized(header).equals(XFCC))
                .toList();
        if (found.isEmpty()) {
            throw refused("is missing: the gateway did not say who calls");
        }
        if (found.size() > 1) {
            throw refused("is there more than once, or beside one that looks like it");
        }
        var header = found.getFirst();
        if (!header.name().toLowerCase(Locale.ROOT).equals(XFCC)) {
            throw refused("is not there, but one that looks like it");
        }
        return header.value();
    }

    private static String normalized(Header header) {
        return header.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
