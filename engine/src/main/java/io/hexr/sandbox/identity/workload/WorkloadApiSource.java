package io.hexr.sandbox.identity.workload;

import io.hexr.sandbox.identity.SvidBundle;
import io.hexr.sandbox.identity.SvidSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine's SVID and trust bundles from the SPIFFE Workload API, which pushes new ones over a stream that stays open.
 *
 * <p>States: <b>following</b> (a stream is open or about to be; {@link #current} is what it last brought) → <b>closed</b>. A stream that breaks
 * is opened again after a pause that grows to half a minute. Meanwhile what is known stays: an agent that is restarted must not
 * take the service down, and certificates end by themselves. But when the agent says that this process has no identity (any more), the
 * engine has none from that moment on. One thread follows; {@code current} is the only thing that others see.
 */
public final class WorkloadApiSource implements SvidSource {
    private static final Logger log = LoggerFactory.getLogger(WorkloadApiSource.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    /** One connection needs a selector, and a thread for what it brings. */
    private static final int THREADS = 4;

    private final Path socket;
    private final HTTP2Client client;
    private final Thread follower;
    private final CountDownLatch first = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicInteger updates = new AtomicInteger();
    private volatile @Nullable SvidBundle current;
    private volatile String lastFailure = "no answer";

    private WorkloadApiSource(Path socket) throws IOException {
        this.socket = socket;
        this.client = client();
        this.follower = Thread.ofPlatform().daemon().name("svid-workload-api").unstarted(this::follow);
    }

    /**
     * Waits for the first SVID.
     *
     * @throws IOException if none came in time; says what the agent said
     */
    public static WorkloadApiSource open(Path socket, Duration timeout) throws IOException {
        var source = new WorkloadApiSource(socket);
        source.follower.start();
        try {
            if (!source.first.await(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new IOException(
                        "SPIFFE_ENDPOINT_SOCKET unix://%s gave no SVID within %d s: %s. Is there an entry for this process?"
                                .formatted(socket, timeout.toSeconds(), source.lastFailure));
            }
            return source;
        } catch (InterruptedException e) {
            source.close();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (IOException e) {
            source.close();
            throw e;
        }
    }

    private static HTTP2Client client() throws IOException {
        var threads = new QueuedThreadPool(THREADS, THREADS);
        threads.setName("workload-api");
        threads.setDaemon(true);
        threads.setReservedThreads(0);
        var connector = new ClientConnector();
        connector.setExecutor(threads);
        connector.setSelectors(1);
        var client = new HTTP2Client(connector);
        client.setIdleTimeout(0);
        client.setStreamIdleTimeout(0);
        try {
            client.start();
            return client;
        } catch (Exception e) {
            throw new IOException("the client of the Workload API does not start: " + e.getMessage(), e);
        }
    }

    private void follow() {
        var pause = FIRST_PAUSE;
        try {
            do {
                boolean gotSome = stream();
                pause = gotSome ? FIRST_PAUSE : pause.multipliedBy(2);
                pause = pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
            } while (!closed.await(pause.toNanos(), TimeUnit.NANOSECONDS));
        } catch (InterruptedException e) {
            log.debug("no longer following the Workload API");
        }
    }

    /** Whether the stream brought anything. */
    private boolean stream() throws InterruptedException {
        int before = updates.get();
        String failure;
        try {
            var status = new WorkloadApiStream(client, socket, this::update).run();
            failure = status.toString();
            if (status.isDenied()) {
                current = null;
            }
        } catch (IOException e) {
            failure = String.valueOf(e.getMessage());
        }
        if (!failure.equals(lastFailure)) {
            lastFailure = failure;
            log.warn(
                    "Workload API: {}; {}",
                    failure,
                    current == null ? "the engine has no identity" : "the last SVID stays");
        }
        return updates.get() > before;
    }

    private void update(byte[] message) throws IOException {
        var bundle = X509SvidResponse.read(message);
        current = bundle;
        updates.incrementAndGet();
        lastFailure = "";
        first.countDown();
        log.info(
                "SVID of {} trust domains, valid until {}",
                bundle.authorities().size(),
                bundle.svid().leaf().getNotAfter().toInstant());
    }

    @Override
    public Optional<SvidBundle> current() {
        return Optional.ofNullable(current);
    }

    @Override
    public void close() {
        closed.countDown();
        follower.interrupt();
        try {
            client.stop();
        } catch (Exception e) {
            log.debug("client of the Workload API: {}", e.toString());
        }
    }
}
