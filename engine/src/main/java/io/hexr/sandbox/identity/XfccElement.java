package io.hexr.sandbox.identity;

import java.util.List;

/**
 * What one proxy says of the certificate that its own peer showed: an element of {@code x-forwarded-client-cert}. Empty values are values: a
 * certificate without URI gives one URI that is empty.
 *
 * @param by the proxy's own names
 * @param hashes SHA-256 of the certificate, in hex
 * @param uris the certificate's names
 */
record XfccElement(List<String> by, List<String> hashes, List<String> uris) {
    XfccElement {
        by = List.copyOf(by);
        hashes = List.copyOf(hashes);
        uris = List.copyOf(uris);
    }
}
