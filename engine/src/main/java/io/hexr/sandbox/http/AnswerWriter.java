package io.hexr.sandbox.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

/**
 * Sends an answer and leaves the connection either ready for the next request or closed in a way that lets the client read the answer.
 * The client must take it by a deadline: an answer that nobody reads would stay in memory.
 */
final class AnswerWriter {
    private final Duration timeout;
    private final long maxDrainedBytes;
    private final ConnectionAge age;

    /**
     * @param maxDrainedBytes how much of an unwanted body is read and dropped after the answer
     */
    AnswerWriter(Duration timeout, long maxDrainedBytes, ConnectionAge age) {
        this.timeout = timeout;
        this.maxDrainedBytes = maxDrainedBytes;
        this.age = age;
    }

    void write(Request request, Response response, Answer answer) throws IOException {
        var headers = response.getHeaders();
        boolean bodyIsRead = RequestBody.skipAvailable(request);
        if (!bodyIsRead || age.isOver(request)) {
            headers.put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE.asString());
        }
        fill(response, answer);
        var endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
        var deadline = request.getComponents()
                .getScheduler()
                .schedule(
                        () -> endPoint.close(new TimeoutException("the client does not take its answer")),
                        timeout.toNanos(),
                        TimeUnit.NANOSECONDS);
        try {
            Content.Sink.write(response, true, ByteBuffer.wrap(answer.body()));
        } finally {
            deadline.cancel();
        }
        if (!bodyIsRead && !awaitsContinue(request.getHeaders())) {
            try (var body = new RequestBody(request, timeout)) {
                body.drain(maxDrainedBytes);
            }
        }
    }

    /** Everything but the sending; also used where Jetty itself found the error. */
    static void fill(Response response, Answer answer) {
        response.setStatus(answer.status());
        var headers = response.getHeaders();
        if (answer.body().length > 0) {
            headers.put(HttpHeader.CONTENT_TYPE, answer.mediaType());
        }
        if (answer.status() != HttpStatus.NOT_MODIFIED_304) {
            // There it would be the length of what the client has (RFC 9110, section 8.6).
            headers.put(HttpHeader.CONTENT_LENGTH, answer.body().length);
        }
        headers.put(HttpHeader.CACHE_CONTROL, "no-store");
        headers.put("X-Content-Type-Options", "nosniff");
        answer.headers().forEach(headers::put);
    }

    /** Such a client sends its body only when it is asked to; to read on would ask for it, after the answer. */
    private static boolean awaitsContinue(HttpFields headers) {
        return headers.contains(HttpHeader.EXPECT);
    }
}
