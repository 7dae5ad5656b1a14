package io.hexr.sandbox.identity.workload;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.identity.TestAuthority;
import io.hexr.sandbox.identity.TrustDomain;
import io.hexr.sandbox.identity.X509Svid;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class X509SvidResponseTest {
    private final TestAuthority authority = new TestAuthority("example.org");
    private final TestAuthority friend = new TestAuthority("friend.org");
    private final X509Svid svid = authority.issue("spiffe://example.org/sandbox-engine");

    @Test
    void theFirstSvidAndAllBundlesAreRead() throws Exception {
        byte[] message = bytes(
                field(1, svidMessage(svid)),
                field(1, svidMessage(authority.issue("spiffe://example.org/second"))),
                field(
                        3,
                        bytes(
                                field(1, "spiffe://friend.org".getBytes(UTF_8)),
                                field(2, friend.rootCertificate().getEncoded()))),
                new byte[] {(byte) 0x98, 0x06, 0x2A}, // field 99, a number: of a later version
                field(2, new byte[] {1, 2, 3}));

        var bundle = X509SvidResponse.read(message);

        assertThat(bundle.svid().leaf()).isEqualTo(svid.leaf());
        assertThat(bundle.svid().key()).isEqualTo(svid.key());
        assertThat(bundle.authorities().get(new TrustDomain("example.org")))
                .containsExactly(authority.rootCertificate());
        assertThat(bundle.authorities().get(new TrustDomain("friend.org"))).containsExactly(friend.rootCertificate());
    }

    @Test
    void aMessageWithoutSvidOrWithAForeignKeyIsRefused() throws Exception {
        byte[] mixed = svidMessage(
                new X509Svid(svid.chain(), friend.issue("spiffe://friend.org/x").key()));

        assertThatThrownBy(() -> X509SvidResponse.read(new byte[0])).hasMessageContaining("no SVID");
        assertThatThrownBy(() -> X509SvidResponse.read(field(1, mixed)))
                .hasMessageContaining("not that of the certificate");
    }

    @Test
    void everyPrefixOfAMessageIsRefused() throws Exception {
        byte[] message = field(1, svidMessage(svid));
        for (int length = 0; length < message.length; length++) {
            byte[] prefix = java.util.Arrays.copyOf(message, length);
            assertThatThrownBy(() -> X509SvidResponse.read(prefix)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void messagesAreFoundHoweverTheStreamIsCut() throws Exception {
        byte[] stream = bytes(new byte[] {0, 0, 0, 0, 3, 7, 8, 9}, GrpcMessages.EMPTY, new byte[] {0, 0, 0, 0, 1, 5});
        for (int cut = 0; cut < stream.length; cut++) {
            var messages = new GrpcMessages();
            var found = new ByteArrayOutputStream();
            int count = 0;
            for (var part :
                    new ByteBuffer[] {ByteBuffer.wrap(stream, 0, cut), ByteBuffer.wrap(stream, cut, stream.length - cut)
                    }) {
                messages.append(part);
                for (var message = messages.next(); message.isPresent(); message = messages.next()) {
                    found.write(message.get());
                    count++;
                }
            }
            assertThat(found.toByteArray()).as("cut at " + cut).containsExactly(7, 8, 9, 5);
            assertThat(count).isEqualTo(3);
        }
    }

    @Test
    void aMessageThatIsTooLargeOrCompressedEndsTheStream() throws Exception {
        for (byte[] head : new byte[][] {{0, 127, 0, 0, 0}, {0, -1, 0, 0, 0}, {1, 0, 0, 0, 0}}) {
            var messages = new GrpcMessages();
            messages.append(ByteBuffer.wrap(head));
            assertThatThrownBy(messages::next).isInstanceOf(IOException.class);
        }
    }

    private byte[] svidMessage(X509Svid of) throws Exception {
        return bytes(
                field(1, "spiffe://example.org/sandbox-engine".getBytes(UTF_8)),
                field(2, of.leaf().getEncoded()),
                field(3, of.key().getEncoded()),
                field(4, authority.rootCertificate().getEncoded()),
                field(5, "internal".getBytes(UTF_8)));
    }

    private static byte[] field(int number, byte[] value) throws IOException {
        var out = new ByteArrayOutputStream();
        out.write((number << 3) | 2);
        int length = value.length;
        for (; length > 127; length >>= 7) {
            out.write((length & 0x7F) | 0x80);
        }
        out.write(length);
        out.write(value);
        return out.toByteArray();
    }

    private static byte[] bytes(byte[]... parts) throws IOException {
        var out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.write(part);
        }
        return out.toByteArray();
    }
}
