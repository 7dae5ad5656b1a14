package io.hexr.sandbox.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.guest.GuestRun.GuestFile;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class GuestRunTest {
    private static final GuestLimits LIMITS = new GuestLimits(
            Duration.ofSeconds(30), 64, 256, 1_000_000, 1_000, 4096, 1 << 26, 1 << 26, 1 << 26, 0, 2, 100);

    @Test
    void itsBytesAreAtLeastWhatIsSentAndNotMuchMore() {
        var run = new GuestRun(
                LIMITS,
                List.of("\uFFFD".repeat(100)),
                Map.of("N\uFFFD", "\uD83D\uDE00"),
                List.of(new GuestFile("\uFFFD.py", new byte[1_000])),
                List.of("\uFFFD*"),
                new byte[10]);

        int sent = sent(
                new Message.Arg("\uFFFD".repeat(100)),
                new Message.Env("N\uFFFD", "\uD83D\uDE00"),
                new Message.File("\uFFFD.py"),
                new Message.Data(new byte[1_000]),
                new Message.ArtifactGlob("\uFFFD*"),
                new Message.Stdin(new byte[10]));
        assertThat(run.bytes()).isBetween((long) sent, sent + 20L);
    }

    @Test
    void standardInputAloneHasItsHeader() {
        var run = new GuestRun(LIMITS, List.of(), Map.of(), List.of(), List.of(), new byte[10]);

        assertThat(run.bytes()).isEqualTo(sent(new Message.Stdin(new byte[10])));
    }

    private static int sent(Message... messages) {
        return Stream.of(messages)
                .mapToInt(message ->
                        Frame.HEADER_BYTES + MessageCodec.encode(message).payload().length)
                .sum();
    }
}
