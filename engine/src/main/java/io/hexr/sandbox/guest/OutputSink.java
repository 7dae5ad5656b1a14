package io.hexr.sandbox.guest;

/**
 * Hears of a run as it goes on: its start, from the thread that sends, then its output as it arrives, already capped by the guest and checked
 * against the caps by the session, and its end.
 */
public interface OutputSink {
    /** The guest has everything, the program starts now. */
    default void started() {}

    void stdout(byte[] bytes);

    void stderr(byte[] bytes);

    /** The program is over; the files that it made come next. */
    default void ended() {}
}
