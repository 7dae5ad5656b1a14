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
    void itsBytesAreAtLeastWhatIsSent() {
        var run = new GuestRun(
                LIMITS,
                List.of("é", "\uFFFD".repeat(100)),
                Map.of("NAME", "\uD83D\uDE00"),
                List.of(new GuestFile("main.py", new byte[1_000])),
                List.of("*.png"),
                new byte[10]);

        int sent = Stream.of(
                        new Message.Arg("é"),
                        new Message.Arg("\uFFFD".repeat(100)),
                        new Message.Env("NAME", "\uD83D\uDE00"),
                        new Message.File("main.py"),
                        new Message.Data(new byte[1_000]),
                        new Message.ArtifactGlob("*.png"),
                        new Message.Stdin(new byte[10]))
                .mapToInt(message -> MessageCodec.encode(message).payload().length)
                .sum();
        assertThat(run.bytes()).isBetween(sent, sent + 1_000);
    }
}
