package io.hexr.sandbox.exec;

import java.time.Duration;

/**
 * Is told what becomes of every execution, at the moment when it does: for metrics, traces and flight recordings. It has no say in any of it;
 * one that throws is logged and changes nothing. It must not block: the call waits meanwhile.
 */
public interface ExecutionObserver {
    /**
     * A checked request begins its execution. Runs on the thread of the request.
     *
     * @return who is told the rest of it
     */
    Execution begun(String id, ExecutionRequest request);

    /**
     * The rest of one execution, each event once at most, in this order. A call that is refused has neither of the first four. Either {@link
     * #ended} or {@link #failed} always comes, and {@link #destroyed} after all others. {@link #started} comes from the thread that writes to the guest,
     * {@link #destroyed} from the one that cleans up, the others from the thread of the request.
     */
    interface Execution {
        /** It has a place; until now it waited in the queue. */
        default void admitted() {}

        /**
         * It has a handshaken sandbox.
         *
         * @param waited whether that was made before anybody asked; resume and handshake were then before this execution
         * @param age how long ago that was
         * @param resume from the decision to resume to the connected channel
         * @param handshake from there to the guest's READY
         */
        default void taken(boolean waited, Duration age, Duration resume, Duration handshake) {}

        /** The guest has its files, the program starts. */
        default void started() {}

        /** The guest said how the program ended, or is lost. */
        default void stopped() {}

        /** The run took place. */
        default void ended(ExecutionResult result) {}

        /** There is no result. */
        default void failed(EngineException why) {}

        /** Nothing is left of it on the host, its place is free. Does not come as long as its sandbox cannot be removed. */
        default void destroyed() {}
    }
}
