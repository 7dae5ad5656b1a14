package io.hexr.sandbox.pool;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.sandbox.SandboxException;
import java.time.Duration;

/**
 * Is told what becomes of templates and of sandboxes that wait, at the moment when it does: for metrics and flight recordings. Some events come
 * under the pool's lock, so it must neither block nor ask the pool. One that throws is logged and changes nothing.
 */
public interface PoolObserver {
    /** Why a sandbox that waited was never used. */
    enum Discard {
        OLD,
        DIED,
        /** Another language needed its memory. */
        SURPLUS,
        /** It could not be given the limits of a call. */
        UNUSABLE,
        CLOSED
    }

    /** A template can be resumed; it was made, or found whole, in this time. */
    default void prepared(Language language, int variant, Duration took) {}

    /**
     * A sandbox was resumed and handshaken.
     *
     * @param waits whether that was ahead of any call
     */
    default void resumed(Language language, boolean waits, Duration resume, Duration handshake) {}

    /** One was not; nothing is left of it. */
    default void resumeFailed(Language language, boolean waits, SandboxException.Code code) {}

    /** A call has one; age is the time since it was ready. */
    default void taken(Language language, boolean waited, Duration age) {}

    default void discarded(Language language, Discard why) {}
}
