package io.hexr.sandbox.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One call whose answer is a stream of events, on a connection of its own that it can leave in every way. */
public final class EventClient implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String HEADERS = "Content-Type: application/json\r\nAccept: text/event-stream\r\n";

    private final RawClient client;
    private RawClient.@Nullable Reply head;
    private byte[] chunk = new byte[0];
    private int read;
    private boolean over;
    private int heartbeats;

    private EventClient(RawClient client) {
        this.client = client;
    }

    /** An event as it came. */
    public record Event(long id, String name, JsonNode data) {
        public String text() {
            return data.path("text").asString();
        }
    }

    /** Sends the call, and reads nothing yet. */
    public static EventClient call(int port, String body) throws IOException {
        return on(new RawClient(port), body);
    }

    static EventClient on(RawClient client, String body) throws IOException {
        return new EventClient(client.send(RawClient.post(body, HEADERS)));
    }

    /** Status and headers; of an ordinary answer its body too. */
    RawClient.Reply head() throws IOException {
        if (head == null) {
            head = client.receiveHead();
        }
        return head;
    }

    /** The next event; fails when the stream is over. */
    public Event next() throws IOException {
        var event = nextOrEnd();
        if (event == null) {
            throw new IOException("the stream is over");
        }
        return event;
    }

    /** Everything that still comes. */
    public List<Event> rest() throws IOException {
        var events = new ArrayList<Event>();
        for (var event = nextOrEnd(); event != null; event = nextOrEnd()) {
            events.add(event);
        }
        return events;
    }

    private @Nullable Event nextOrEnd() throws IOException {
        if (head().status() != 200) {
            throw new IOException("no stream: " + head());
        }
        String line = line();
        while (line != null && (line.isEmpty() || line.startsWith(":"))) {
            heartbeats += line.equals(": heartbeat") ? 1 : 0;
            line = line();
        }
        if (line == null) {
            return null;
        }
        long id = Long.parseLong(value("id", line));
        String name = value("event", line());
        return new Event(id, name, JSON.readTree(value("data", line())));
    }

    private static String value(String field, @Nullable String line) throws IOException {
        if (line == null || !line.startsWith(field + ": ")) {
            throw new IOException("not the field %s: %s".formatted(field, line));
        }
        return line.substring(field.length() + 2);
    }

    private @Nullable String line() throws IOException {
        var line = new ByteArrayOutputStream();
        while (true) {
            if (read == chunk.length) {
                chunk = over ? chunk : client.chunk();
                read = 0;
                over = chunk.length == 0;
            }
            if (over) {
                return null;
            }
            byte b = chunk[read++];
            if (b == '\n') {
                return line.toString(UTF_8);
            }
            line.write(b);
        }
    }

    /** Waits until so many came, when nothing else does. */
    public void awaitHeartbeats(int count) throws IOException {
        head();
        while (heartbeats < count) {
            heartbeats += ": heartbeat".equals(line()) ? 1 : 0;
        }
    }

    /** All that one stream of output had. */
    public static String text(List<Event> events, String name) {
        var text = new StringBuilder();
        events.stream().filter(event -> event.name().equals(name)).forEach(event -> text.append(event.text()));
        return text.toString();
    }

    public void reset() throws IOException {
        client.reset();
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
