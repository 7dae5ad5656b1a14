package io.hexr.sandbox.client;

import java.io.InputStream;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One call of the API: attempts with pauses between them, until there is an outcome.
 *
 * <pre>
 * attempt → result                                    → done
 *         → 429, 503 → pause → attempt → …
 *         → any other failure, or no time for a pause → done
 * at any time: deadline, or the caller cancels        → done; the attempt or pause under way is cancelled, which closes its connection
 * </pre>
 *
 * <p>No thread waits for a call but its caller, if it wants to. The steps follow each other on threads of the HTTP client; {@code step} is what is under way, so that
 * whoever ends the call from outside can end that too.
 */
final class Call<R> {
    private final Transport transport;
    private final Exchange<R> exchange;
    private final Retries retries;
    private final CompletableFuture<R> outcome = new CompletableFuture<>();
    private volatile @Nullable Future<?> step;

    private Call(Transport transport, Exchange<R> exchange, Deadline deadline) {
        this.transport = transport;
        this.exchange = exchange;
        this.retries = new Retries(
                transport.settings().maxRetries(),
                deadline,
                () -> ThreadLocalRandom.current().nextDouble());
    }

    /** The outcome, which is there by the deadline; to cancel it ends the call. */
    static <R> CompletableFuture<R> start(Transport transport, Exchange<R> exchange, Deadline deadline) {
        var call = new Call<>(transport, exchange, deadline);
        var timer = deadline.watch(() -> call.outcome.completeExceptionally(deadline.exceeded()));
        var unused = call.outcome.whenComplete((result, failure) -> {
            timer.complete(null);
            call.cancelStep();
        });
        call.attempt();
        return call.outcome;
    }

    /** Waits for an outcome; who is interrupted meanwhile gives the call up. */
    static <R> R await(CompletableFuture<R> outcome) throws SandboxException {
        try {
            return outcome.get();
        } catch (InterruptedException e) {
            outcome.cancel(true);
            Thread.currentThread().interrupt();
            throw new CallInterruptedException("interrupted while waiting for the service", e);
        } catch (ExecutionException e) {
            var cause = e.getCause();
            if (cause instanceof SandboxException) {
                // whoever called is of interest, not the thread of the HTTP client on which it was made
                cause.fillInStackTrace();
            }
            if (cause instanceof RuntimeException failure) {
                throw failure;
            }
            if (cause instanceof Error failure) {
                throw failure;
            }
            throw new IllegalStateException(cause);
        }
    }

    private void attempt() {
        try {
            var sent = transport.http().sendAsync(exchange.request(), exchange.body());
            follow(sent);
            var unused = sent.whenComplete(this::settle);
        } catch (RuntimeException e) {
            outcome.completeExceptionally(e);
        }
    }

    private void settle(@Nullable HttpResponse<InputStream> response, @Nullable Throwable failure) {
        try {
            if (response == null) {
                outcome.completeExceptionally(meaning(failure));
                return;
            }
            R result = exchange.read(response);
            boolean taken = outcome.complete(result);
            if (!taken && result instanceof ExecutionStream stream) {
                stream.close();
            }
        } catch (ServiceException e) {
            retries.pause(e).ifPresentOrElse(this::pause, () -> outcome.completeExceptionally(e));
        } catch (Throwable e) {
            // errors as well: an answer may be too large for this machine's memory, and nobody else would tell
            outcome.completeExceptionally(e);
        }
    }

    private void pause(Duration length) {
        var pause = new CompletableFuture<Void>().completeOnTimeout(null, length.toNanos(), TimeUnit.NANOSECONDS);
        follow(pause);
        var unused = pause.thenRunAsync(this::attempt);
    }

    private void follow(Future<?> next) {
        step = next;
        if (outcome.isDone()) {
            next.cancel(true);
        }
    }

    private void cancelStep() {
        var current = step;
        if (current != null) {
            current.cancel(true);
        }
    }

    /** What a failure of the HTTP client means. */
    private SandboxException meaning(@Nullable Throwable failure) {
        var cause = failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        for (var inner = cause; inner != null; inner = inner.getCause()) {
            if (inner instanceof SandboxException own) {
                return own;
            }
        }
        var url = exchange.request().uri();
        if (cause instanceof HttpConnectTimeoutException) {
            return new UnreachableException(
                    "no connection to %s within %s s"
                            .formatted(
                                    url, transport.settings().connectTimeout().toMillis() / 1000.0),
                    cause);
        }
        return new UnreachableException(
                "%s %s: %s"
                        .formatted(
                                cause instanceof ConnectException ? "no connection to" : "the connection broke to",
                                url,
                                words(cause)),
                cause);
    }

    private static String words(@Nullable Throwable cause) {
        if (cause == null) {
            return "no reason given";
        }
        var message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message;
    }
}
