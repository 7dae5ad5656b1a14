package io.hexr.sandbox.http;

import java.time.Duration;
import java.time.Instant;
import org.eclipse.jetty.server.Request;

/**
 * When a connection has served long enough. A client that reuses connections would go on under a certificate that was replaced long ago, and
 * would show an expired one in the middle of its work. So the answer after which a connection is too old tells the client to connect anew. That
 * is also so when the client's certificate would expire before the idle timeout closes the connection: then no request ever comes under an
 * expired one.
 */
final class ConnectionAge {
    private final Duration longest;
    private final Duration idleTimeout;

    ConnectionAge(Duration longest, Duration idleTimeout) {
        this.longest = longest;
        this.idleTimeout = idleTimeout;
    }

    boolean isOver(Request request) {
        var opened = Instant.ofEpochMilli(
                request.getConnectionMetaData().getConnection().getCreatedTimeStamp());
        var now = Instant.now();
        return now.isAfter(opened.plus(longest)) || expires(request, now.plus(idleTimeout));
    }

    private static boolean expires(Request request, Instant until) {
        return PeerOf.chain(request).stream()
                .limit(1)
                .anyMatch(leaf -> leaf.getNotAfter().toInstant().isBefore(until));
    }
}
