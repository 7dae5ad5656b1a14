package io.hexr.sandbox.pool;

import io.hexr.sandbox.guest.GuestSession;
import io.hexr.sandbox.sandbox.Sandbox;
import java.time.Duration;

/**
 * A sandbox whose handshake succeeded: clock and randomness are right, the interpreter is parked. It serves one run, then its taker closes
 * it.
 *
 * @param waited whether it was made before anybody asked for it
 * @param resumeTime from the decision to resume to the connected channel
 * @param handshakeTime from there to the guest's READY
 * @param readyAt when that was, by {@link System#nanoTime}
 */
public record ReadySandbox(
        Sandbox sandbox,
        GuestSession session,
        boolean waited,
        Duration resumeTime,
        Duration handshakeTime,
        long readyAt) {

    /** How long it has been ready. */
    public Duration age() {
        return Duration.ofNanos(System.nanoTime() - readyAt);
    }
}
