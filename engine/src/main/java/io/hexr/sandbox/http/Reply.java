package io.hexr.sandbox.http;

import java.io.IOException;
import java.util.Optional;
import org.eclipse.jetty.server.Response;

/** What an endpoint answers with: a complete {@link Answer}, or one that is sent while it is made. */
sealed interface Reply permits Answer, Reply.Streamed {

    /** Sends itself. */
    non-sealed interface Streamed extends Reply {
        /**
         * Blocks until the answer is sent.
         *
         * @return what to answer instead when it ended before anything was sent
         * @throws IOException if the client did not take it
         */
        Optional<Answer> send(Response response) throws IOException;
    }
}
