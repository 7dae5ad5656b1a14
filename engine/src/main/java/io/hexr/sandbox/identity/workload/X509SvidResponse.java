package io.hexr.sandbox.identity.workload;

import io.hexr.sandbox.identity.Pem;
import io.hexr.sandbox.identity.SpiffeId;
import io.hexr.sandbox.identity.SvidBundle;
import io.hexr.sandbox.identity.TrustDomain;
import io.hexr.sandbox.identity.X509Svid;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code X509SVIDResponse} of {@code workloadapi.proto}:
 *
 * <pre>
 * message X509SVIDResponse { repeated X509SVID svids = 1; repeated bytes crl = 2; map&lt;string, bytes&gt; federated_bundles = 3; }
 * message X509SVID { string spiffe_id = 1; bytes x509_svid = 2; bytes x509_svid_key = 3; bytes bundle = 4; string hint = 5; }
 * </pre>
 */
final class X509SvidResponse {
    private static final String SCHEME = "spiffe://";

    private byte @Nullable [] firstSvid;
    private final Map<TrustDomain, Set<X509Certificate>> authorities = new HashMap<>();

    private X509SvidResponse() {}

    /** The first SVID is the default one (SPIFFE Workload API, section 5.3). */
    static SvidBundle read(byte[] message) throws IOException {
        var response = new X509SvidResponse();
        try {
            new ProtobufReader(message).forEach(response::field);
            if (response.firstSvid == null) {
                throw new IOException("the Workload API sent no SVID");
            }
            return response.bundle(response.firstSvid);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException("the Workload API sent an SVID that cannot be used: " + e.getMessage(), e);
        }
    }

    private void field(int number, byte[] value) throws IOException {
        if (number == 1 && firstSvid == null) {
            firstSvid = value;
        } else if (number == 3) {
            var entry = Fields.read(value);
            trust(trustDomain(ProtobufReader.text(entry.of(1))), entry.of(2));
        }
    }

    private SvidBundle bundle(byte[] message) throws IOException, GeneralSecurityException {
        var svid = Fields.read(message);
        var id = SpiffeId.parse(ProtobufReader.text(svid.of(1)))
                .orElseThrow(() -> new IOException("the Workload API sent an SVID without SPIFFE ID"));
        trust(id.trustDomain(), svid.of(4));
        var chain = Pem.certificates(svid.of(2));
        return new SvidBundle(new X509Svid(chain, Pem.pkcs8Key(svid.of(3), chain.getFirst())), authorities);
    }

    /** The key of a federated bundle is the ID of the domain, which has no path. */
    private static TrustDomain trustDomain(String id) throws IOException {
        return (id.startsWith(SCHEME) ? TrustDomain.parse(id.substring(SCHEME.length())) : TrustDomain.parse(id))
                .orElseThrow(() -> new IOException("the Workload API sent a bundle without trust domain"));
    }

    private void trust(TrustDomain domain, byte[] certificates) throws IOException {
        try {
            authorities.put(domain, Set.copyOf(Pem.certificates(certificates)));
        } catch (GeneralSecurityException e) {
            throw new IOException("the Workload API sent a bundle that cannot be read: " + e.getMessage(), e);
        }
    }

    /** The fields of a message that has each of them once; the last one counts, as Protocol Buffers want. */
    private record Fields(Map<Integer, byte[]> values) {
        static Fields read(byte[] message) throws IOException {
            var values = new HashMap<Integer, byte[]>();
            new ProtobufReader(message).forEach(values::put);
            return new Fields(values);
        }

        byte[] of(int number) {
            return values.getOrDefault(number, new byte[0]);
        }
    }
}
