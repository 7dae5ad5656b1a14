package io.hexr.sandbox.client;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import org.jspecify.annotations.Nullable;

/** An answer that is taken as a whole, up to a size; from a larger one the connection is closed. */
final class BoundedBody implements BodySubscriber<InputStream> {
    /** More than the largest answer of any service: two streams of 64 MiB escaped, and artifacts of 256 MiB. */
    static final long MAX_BYTES = 1L << 30;

    private final BodySubscriber<byte[]> whole = BodySubscribers.ofByteArray();
    private final long max;
    private @Nullable Subscription subscription;
    private long size;

    BoundedBody(long max) {
        this.max = max;
    }

    @Override
    public CompletionStage<InputStream> getBody() {
        return whole.getBody().thenApply(ByteArrayInputStream::new);
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        this.subscription = subscription;
        whole.onSubscribe(subscription);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        size += buffers.stream().mapToLong(ByteBuffer::remaining).sum();
        if (size <= max) {
            whole.onNext(buffers);
        } else if (subscription != null) {
            subscription.cancel();
            onError(new InvalidAnswerException("the answer has more than %d bytes".formatted(max), null));
        }
    }

    @Override
    public void onError(Throwable failure) {
        whole.onError(failure);
    }

    @Override
    public void onComplete() {
        whole.onComplete();
    }
}
