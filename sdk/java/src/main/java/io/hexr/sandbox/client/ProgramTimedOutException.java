package io.hexr.sandbox.client;

/** The program was ended at its {@code timeout}. */
public final class ProgramTimedOutException extends ProgramException {
    private static final long serialVersionUID = 1L;

    ProgramTimedOutException(Ending result) {
        super("program_timed_out", "was ended at its timeout after %d ms".formatted(result.executionTimeMs()), result);
    }
}
