package io.hexr.sandbox.client;

/** The program was ended at its {@code memory_mb}. */
public final class ProgramOutOfMemoryException extends ProgramException {
    private static final long serialVersionUID = 1L;

    ProgramOutOfMemoryException(Ending result) {
        super(
                "program_out_of_memory",
                "was ended at its memory limit with %s MiB".formatted(result.memoryUsedMb()),
                result);
    }
}
