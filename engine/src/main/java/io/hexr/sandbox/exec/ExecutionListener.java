package io.hexr.sandbox.exec;

/**
 * Hears of one execution as it goes on, from the thread that asked for it. As long as a method does not return nothing more is read from the
 * guest, whose program then waits in its next write; its deadline does not.
 */
public interface ExecutionListener {
    /** Hears nothing. */
    ExecutionListener NONE = new ExecutionListener() {
        @Override
        public void started(String executionId) {}

        @Override
        public void stdout(byte[] bytes) {}

        @Override
        public void stderr(byte[] bytes) {}
    };

    /** Whether it takes the output for good: then the result has none, and nothing of it is kept meanwhile. */
    default boolean takesOutput() {
        return false;
    }

    /** The sandbox is there; the files and the program are given to it next. */
    void started(String executionId);

    /** What the program wrote, as far as it counts: nothing beyond the cap. May begin and end within a character. */
    void stdout(byte[] bytes);

    void stderr(byte[] bytes);
}
