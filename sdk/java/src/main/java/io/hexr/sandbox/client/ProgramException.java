package io.hexr.sandbox.client;

/** The program ended with an exit code other than 0. */
public sealed class ProgramException extends SandboxException
        permits ProgramTimedOutException, ProgramOutOfMemoryException {
    private static final long serialVersionUID = 1L;

    private final transient Ending result;

    ProgramException(Ending result) {
        this("program_failed", ending(result), result);
    }

    ProgramException(String code, String ending, Ending result) {
        super(code, "the program %s (%s)%s".formatted(ending, result.executionId(), lastWords(result)), null);
        this.result = result;
    }

    static void throwUnlessOk(Ending result) throws ProgramException {
        if (result.timedOut()) {
            throw new ProgramTimedOutException(result);
        }
        if (result.oomKilled()) {
            throw new ProgramOutOfMemoryException(result);
        }
        if (!result.ok()) {
            throw new ProgramException(result);
        }
    }

    private static String ending(Ending result) {
        var signal = result.signal();
        return signal != null ? "was ended by " + signal : "exited with " + result.exitCode();
    }

    /** The last line on stderr, where it was kept. */
    private static String lastWords(Ending result) {
        var stderr = result instanceof ExecutionResult whole ? whole.stderr().strip() : "";
        return stderr.isEmpty() ? "" : ": " + stderr.substring(stderr.lastIndexOf('\n') + 1);
    }

    /** The {@link ExecutionResult}, or the {@link StreamResult} of a stream. */
    public Ending result() {
        return result;
    }
}
