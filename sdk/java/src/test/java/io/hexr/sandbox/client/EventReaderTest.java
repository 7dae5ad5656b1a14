package io.hexr.sandbox.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventReaderTest {
    private static List<ServerSentEvent> read(InputStream in) throws IOException {
        var events = new ArrayList<ServerSentEvent>();
        var reader = new EventReader(in, 1 << 20);
        for (var event = reader.next(); event != null; event = reader.next()) {
            events.add(event);
        }
        return events;
    }

    private static InputStream bytes(String text) {
        return new ByteArrayInputStream(text.getBytes(UTF_8));
    }

    /** Gives one byte at a time, as the worst of networks. */
    private static InputStream dripping(String text) {
        return new ByteArrayInputStream(text.getBytes(UTF_8)) {
            @Override
            public synchronized int read(byte[] into, int offset, int length) {
                return super.read(into, offset, Math.min(1, length));
            }
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n", "\r"})
    void everyLineEndOfTheStandardEndsALine(String end) throws Exception {
        var text =
                "event: stdout\nid: 1\ndata: {\"text\": \"ü😀\"}\n\n: heartbeat\n\nevent:x\ndata:1\ndata:  2\n\ndata\n\n"
                        .replace("\n", end);
        var events = List.of(new ServerSentEvent("stdout", "{\"text\": \"ü😀\"}"), new ServerSentEvent("x", "1\n 2"));

        assertThat(read(bytes(text))).isEqualTo(events);
        assertThat(read(dripping(text))).isEqualTo(events);
    }

    @Test
    void anEventWithoutANameIsAMessage() throws Exception {
        assertThat(read(bytes("event: gone\n\ndata: 1\n\n"))).containsExactly(new ServerSentEvent("message", "1"));
    }

    @Test
    void anEventThatIsNotCompleteIsNone() throws Exception {
        assertThat(read(bytes("data: 1\n\ndata: 2\n"))).containsExactly(new ServerSentEvent("message", "1"));
    }

    @Test
    void anEventMayBeLargerThanTheBuffer() throws Exception {
        var large = "x".repeat(100_000);
        assertThat(read(bytes("data: " + large + "\n\n"))).containsExactly(new ServerSentEvent("message", large));
    }

    @Test
    void aStreamThatIsTooLargeIsNotTaken() {
        var in = bytes("data: " + "x".repeat(1 << 20) + "\n\n");
        assertThatThrownBy(() -> read(in))
                .isInstanceOf(InvalidAnswerException.class)
                .hasMessage("the stream has more than 1048576 bytes");
    }
}
