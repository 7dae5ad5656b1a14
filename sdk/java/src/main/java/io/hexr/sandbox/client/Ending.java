package io.hexr.sandbox.client;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** How a run ended, whatever it left: what a result has whether it came as a whole or at the end of a stream. */
public sealed interface Ending permits ExecutionResult, StreamResult {
    /** The program's own; 128 + n for signal n; 124 when timed out; 137 when out of memory. */
    int exitCode();

    /** Wall time of the program. */
    long executionTimeMs();

    /** The most memory that the program held, in MiB. */
    double memoryUsedMb();

    /** Names the run in the service's logs. */
    String executionId();

    String language();

    boolean timedOut();

    boolean oomKilled();

    /** Name of the signal that ended the program, such as SIGKILL. */
    @Nullable
    String signal();

    boolean stdoutTruncated();

    boolean stderrTruncated();

    /** Which limit ended the run: {@code time}, {@code memory} or {@code processes}. */
    @Nullable
    String limit();

    List<SkippedArtifact> artifactsSkipped();

    default boolean ok() {
        return exitCode() == 0;
    }
}
