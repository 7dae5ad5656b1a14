package io.hexr.sandbox.identity.workload;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.frames.DataFrame;
import org.eclipse.jetty.http2.frames.GoAwayFrame;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.io.Transport;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Promise;

/**
 * One call of {@code FetchX509SVID}: gRPC over HTTP/2 over the agent's unix socket.
 *
 * <p>Connecting → open → ended. It is open for as long as the agent likes, with hours between two messages, so only connecting and the first
 * message have a deadline. Whatever ends it ends it once: the agent's status, a broken connection, a message that cannot be read, or the
 * interrupt of the thread in {@link #run}.
 */
final class WorkloadApiStream {
    private static final Duration FIRST_MESSAGE = Duration.ofSeconds(10);
    private static final String METHOD = "/SpiffeWorkloadAPI/FetchX509SVID";

    /** Takes a message of the stream. */
    interface Receiver {
        void accept(byte[] message) throws IOException;
    }

    private final HTTP2Client client;
    private final Path socket;
    private final Receiver receiver;
    private final CompletableFuture<Void> firstMessage = new CompletableFuture<>();
    private final CompletableFuture<GrpcStatus> end = new CompletableFuture<>();

    WorkloadApiStream(HTTP2Client client, Path socket, Receiver receiver) {
        this.client = client;
        this.socket = socket;
        this.receiver = receiver;
    }

    /** Blocks until the stream has ended. */
    GrpcStatus run() throws IOException, InterruptedException {
        Session session = await(client.connect(
                new Transport.TCPUnix(socket), null, UnixDomainSocketAddress.of(socket), new Connection()));
        try {
            var request = new MetaData.Request(
                    "POST",
                    HttpURI.from("http", "localhost", 80, METHOD),
                    HttpVersion.HTTP_2,
                    HttpFields.build()
                            .add("content-type", "application/grpc")
                            .add("te", "trailers")
                            // SPIFFE Workload Endpoint, section 4: proves that no browser was tricked into the call.
                            .add(new HttpField("workload.spiffe.io", "true")));
            Stream stream = await(session.newStream(new HeadersFrame(request, null, false), new Reply()));
            await(stream.data(new DataFrame(stream.getId(), ByteBuffer.wrap(GrpcMessages.EMPTY), true)));
            await(CompletableFuture.anyOf(firstMessage, end));
            return end.get();
        } catch (ExecutionException e) {
            throw failure(e);
        } finally {
            session.close(ErrorCode.NO_ERROR.code, "done", Callback.NOOP);
        }
    }

    private static <T> T await(CompletableFuture<T> future) throws IOException, InterruptedException {
        try {
            return future.get(FIRST_MESSAGE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw failure(e);
        } catch (TimeoutException e) {
            throw new IOException("no answer within %d s".formatted(FIRST_MESSAGE.toSeconds()), e);
        }
    }

    private static IOException failure(ExecutionException e) {
        var cause = e.getCause() == null ? e : e.getCause();
        return new IOException(cause.getMessage() == null ? cause.toString() : cause.getMessage(), cause);
    }

    /** A connection that ends takes the stream with it. */
    private final class Connection implements Session.Listener {
        @Override
        public void onClose(Session session, GoAwayFrame frame, Callback callback) {
            end.completeExceptionally(new IOException("the agent closed the connection"));
            callback.succeeded();
        }

        @Override
        public void onFailure(Session session, Throwable failure, Callback callback) {
            end.completeExceptionally(failure);
            callback.succeeded();
        }
    }

    private final class Reply implements Stream.Listener {
        private final GrpcMessages messages = new GrpcMessages();

        @Override
        public void onHeaders(Stream stream, HeadersFrame frame) {
            if (frame.isEndStream()) {
                end.complete(GrpcStatus.of(frame.getMetaData().getHttpFields()));
            } else {
                stream.demand();
            }
        }

        @Override
        public void onDataAvailable(Stream stream) {
            var data = stream.readData();
            if (data == null) {
                stream.demand();
                return;
            }
            try {
                messages.append(data.frame().getByteBuffer());
                for (var message = messages.next(); message.isPresent(); message = messages.next()) {
                    receiver.accept(message.get());
                    firstMessage.complete(null);
                }
                if (!data.frame().isEndStream()) {
                    stream.demand();
                }
            } catch (IOException e) {
                end.completeExceptionally(e);
            } finally {
                data.release();
            }
        }

        @Override
        public void onReset(Stream stream, ResetFrame frame, Callback callback) {
            end.completeExceptionally(new IOException("the agent reset the stream, error " + frame.getError()));
            callback.succeeded();
        }

        @Override
        public void onFailure(Stream stream, int error, String reason, Throwable failure, Callback callback) {
            end.completeExceptionally(failure);
            callback.succeeded();
        }

        /** The agent has nothing to say for hours. */
        @Override
        public void onIdleTimeout(Stream stream, TimeoutException timeout, Promise<Boolean> promise) {
            promise.succeeded(false);
        }
    }
}
