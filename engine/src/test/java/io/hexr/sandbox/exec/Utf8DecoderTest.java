package io.hexr.sandbox.exec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class Utf8DecoderTest {
    /** Characters of every length and what can go wrong in each, whole and in parts. */
    @Provide
    Arbitrary<byte[]> output() {
        return Arbitraries.of("a", "é", "€", "😀", "\ud7ff", "\ue000")
                .map(text -> text.getBytes(UTF_8))
                .flatMap(
                        bytes -> Arbitraries.integers().between(0, bytes.length).map(end -> Arrays.copyOf(bytes, end)))
                .list()
                .ofMaxSize(8)
                .flatMap(parts -> Arbitraries.bytes()
                        .filter(b -> b < 0)
                        .array(byte[].class)
                        .ofMaxSize(4)
                        .map(noise -> joined(parts, noise)));
    }

    private static byte[] joined(List<byte[]> parts, byte[] noise) {
        byte[] all = new byte[parts.stream().mapToInt(part -> part.length).sum() + noise.length];
        int length = 0;
        for (int i = 0; i < parts.size(); i++) {
            if (i == parts.size() / 2) {
                System.arraycopy(noise, 0, all, length, noise.length);
                length += noise.length;
            }
            System.arraycopy(parts.get(i), 0, all, length, parts.get(i).length);
            length += parts.get(i).length;
        }
        return Arrays.copyOf(all, length);
    }

    @Property
    void theTextDoesNotDependOnWhereTheBytesWereCut(
            @ForAll("output") byte[] bytes,
            @ForAll @Size(max = 6) List<@IntRange(max = 40) Integer> cuts,
            @ForAll boolean truncated) {
        var whole = new OutputBuffer(1_000);
        whole.append(bytes);
        if (truncated) {
            whole.markTruncated();
        }

        var decoder = new Utf8Decoder();
        var text = new StringBuilder();
        int from = 0;
        for (int cut : cuts.stream().sorted().toList()) {
            int to = Math.min(cut, bytes.length);
            text.append(decoder.decode(Arrays.copyOfRange(bytes, from, to)));
            from = to;
        }
        text.append(decoder.decode(Arrays.copyOfRange(bytes, from, bytes.length)));
        text.append(decoder.end(truncated));

        assertThat(text.toString()).isEqualTo(whole.text());
    }

    @Property
    void textThatIsCutIntoSingleBytesNeverShowsAPartOfACharacter(@ForAll String any) {
        byte[] bytes = any.getBytes(UTF_8);
        var decoder = new Utf8Decoder();
        var text = new StringBuilder();
        for (byte b : bytes) {
            text.append(decoder.decode(new byte[] {b}));
        }

        assertThat(text.toString()).isEqualTo(new String(bytes, UTF_8));
        assertThat(decoder.end(false)).isEmpty();
    }

    @Test
    void aCharacterThatNeverEndsIsReplacedUnlessTheCapCutIt() {
        byte[] half = {'a', (byte) 0xf0, (byte) 0x9f, (byte) 0x98};
        var complete = new Utf8Decoder();
        assertThat(complete.decode(half)).isEqualTo("a");
        assertThat(complete.end(false)).isEqualTo("\ufffd");

        var cut = new Utf8Decoder();
        assertThat(cut.decode(half)).isEqualTo("a");
        assertThat(cut.end(true)).isEmpty();
    }
}
