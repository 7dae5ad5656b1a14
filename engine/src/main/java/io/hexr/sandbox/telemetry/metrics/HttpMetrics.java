package io.hexr.sandbox.telemetry.metrics;

import io.hexr.sandbox.exec.ErrorCode;
import io.hexr.sandbox.identity.AuthenticationException;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import java.time.Duration;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/** What the HTTP front tells. */
public final class HttpMetrics {
    private static final String OK = "ok";

    private final Instruments instruments;
    private final Histogram requests;
    private final Counter statuses;
    private final Counter calls;
    private final Counter unproven;
    private final Counter handshakes;

    HttpMetrics(Instruments instruments) {
        this.instruments = instruments;
        requests = instruments.latency(
                "hexr_http_request_duration_seconds", "Time from a request's head to the end of its answer.", "path");
        statuses = instruments.counter(
                "hexr_http_requests_total",
                "Answered requests; path other is every path that there is not.",
                "path",
                "status");
        calls = instruments.counter(
                "hexr_calls_total",
                "Calls that asked to run code, by outcome: ok for a run that took place, else the code of the error.",
                "outcome");
        calls.initLabelValues(OK);
        for (var code : ErrorCode.values()) {
            calls.initLabelValues(code.id());
        }
        unproven = instruments.counter(
                "hexr_authentication_failures_total",
                "Requests and TLS handshakes whose caller was not proven, by reason.",
                "reason");
        for (var kind : AuthenticationException.Kind.values()) {
            unproven.initLabelValues(kind.id());
        }
        handshakes = instruments.counter("hexr_tls_handshake_failures_total", "TLS handshakes that failed.");
    }

    /**
     * A request was answered.
     *
     * @param path of an endpoint, or {@code other}: never what a client sent
     */
    public void answered(String path, int status, Duration time) {
        requests.labelValues(path).observe(time.toNanos() / 1e9);
        // last, so that who waits for the count finds the rest
        statuses.labelValues(path, Integer.toString(status)).inc();
    }

    /** A call was recorded: {@code ok}, or the error's code. */
    public void called(String outcome) {
        calls.labelValues(outcome).inc();
    }

    public void unproven(AuthenticationException.Kind why) {
        unproven.labelValues(why.id()).inc();
    }

    public void handshakeFailed() {
        handshakes.inc();
    }

    /** What the server holds; once. */
    public void watch(IntSupplier connections, int maxConnections, LongSupplier bodyBytes, long maxBodyBytes) {
        instruments.gauge("hexr_http_connections", "Open connections.", connections::getAsInt);
        instruments.gauge("hexr_http_connections_limit", "Connections that may be open at once.", () -> maxConnections);
        instruments.gauge(
                "hexr_http_body_bytes",
                "Memory held by the bodies of requests in progress and of answers that are not taken yet.",
                bodyBytes::getAsLong);
        instruments.gauge(
                "hexr_http_body_bytes_limit", "Beyond it new requests are refused (queue_full).", () -> maxBodyBytes);
    }
}
