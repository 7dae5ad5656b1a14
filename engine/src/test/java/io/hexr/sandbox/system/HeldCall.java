package io.hexr.sandbox.system;

import io.hexr.sandbox.http.EventClient;
import java.io.IOException;
import java.net.URI;
import java.util.Map;

/**
 * A call whose program ends when the test wants it to: it writes more than sockets and pipes hold, and its stream is not read before. What is
 * done meanwhile has half a minute, the program's timeout, however slow the machine is.
 */
final class HeldCall implements AutoCloseable {
    /** What the engine must be started with. */
    static final Map<String, String> VARIABLES = Map.of("MAX_OUTPUT_BYTES", "64MiB");

    private static final String CALL = """
            {"language": "bash", "timeout": 30, "code": "head -c 32M /dev/zero | tr '\\\\0' x; echo finished"}""";

    private final EventClient client;

    private HeldCall(EventClient client) {
        this.client = client;
    }

    /** Returns when it runs. */
    static HeldCall start(URI engine) throws IOException {
        var client = EventClient.call(engine.getPort(), CALL);
        try {
            String first = client.next().name();
            if (!first.equals("start")) {
                throw new IOException("the stream begins with " + first);
            }
            return new HeldCall(client);
        } catch (IOException | RuntimeException e) {
            client.close();
            throw e;
        }
    }

    /** Lets it end; gives the last event. */
    EventClient.Event release() throws IOException {
        return client.rest().getLast();
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
