package io.hexr.sandbox.exec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class OutputBufferTest {
    @Property
    void aCharacterSplitOverChunksIsPutTogetherAgain(
            @ForAll @StringLength(max = 50) String text, @ForAll @IntRange(min = 1, max = 7) int chunk) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        var buffer = new OutputBuffer(10_000);
        for (int from = 0; from < bytes.length; from += chunk) {
            buffer.append(Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + chunk)));
        }
        assertThat(buffer.text()).isEqualTo(new String(bytes, StandardCharsets.UTF_8));
        assertThat(buffer.truncated()).isFalse();
    }

    @Property
    void theHeadNeverExceedsTheCapAndNeverEndsInHalfACharacter(
            @ForAll @StringLength(max = 40) String text, @ForAll @IntRange(max = 60) int cap) {
        // What Java cannot encode becomes '?': the program can only have written encodable text.
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        String written = new String(bytes, StandardCharsets.UTF_8);
        var buffer = new OutputBuffer(cap);
        buffer.append(bytes);
        assertThat(buffer.text().getBytes(StandardCharsets.UTF_8).length).isLessThanOrEqualTo(cap);
        assertThat(written).startsWith(buffer.text());
        assertThat(buffer.truncated()).isEqualTo(bytes.length > cap);
        if (bytes.length > cap) {
            assertThat(buffer.text().getBytes(StandardCharsets.UTF_8).length).isGreaterThan(cap - 4);
        }
    }

    @Test
    void bytesThatAreNotUtf8BecomeTheReplacementCharacter() {
        var buffer = new OutputBuffer(100);
        buffer.append(new byte[] {'a', (byte) 0xff, 'b', (byte) 0xe2, (byte) 0x82});
        assertThat(buffer.text()).isEqualTo("a\ufffdb\ufffd");
    }

    @Test
    void everyByteOfAnEncodedSurrogateBecomesAReplacementCharacter() {
        var buffer = new OutputBuffer(100);
        buffer.append(new byte[] {'a', (byte) 0xed, (byte) 0xa0, (byte) 0x80, 'b', (byte) 0xed, (byte) 0xbf, 'c'});
        buffer.append("\ud7ff\ue000".getBytes(StandardCharsets.UTF_8));
        assertThat(buffer.text()).isEqualTo("a\ufffd\ufffd\ufffdb\ufffd\ufffdc\ud7ff\ue000");
    }

    @Test
    void truncationByTheGuestIsKeptEvenWhenTheHeadFits() {
        var buffer = new OutputBuffer(100);
        buffer.append(new byte[] {'a', (byte) 0xe2, (byte) 0x82});
        buffer.markTruncated();
        assertThat(buffer.truncated()).isTrue();
        assertThat(buffer.text()).isEqualTo("a");
    }
}
