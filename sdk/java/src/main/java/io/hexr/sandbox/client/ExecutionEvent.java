package io.hexr.sandbox.client;

import static java.util.Objects.requireNonNull;

/** What happens in a run, in this order: its start, output and artifacts as they come, its result. */
public sealed interface ExecutionEvent
        permits ExecutionEvent.Start, ExecutionEvent.Stdout, ExecutionEvent.Stderr, Artifact, StreamResult {

    /**
     * The program is about to run.
     *
     * @param timeout seconds that it may take
     * @param memoryMb MiB that it may use
     */
    record Start(String executionId, String language, double timeout, int memoryMb) implements ExecutionEvent {
        public Start {
            requireNonNull(executionId, "executionId");
            requireNonNull(language, "language");
        }
    }

    /** The program wrote to its standard output. A piece is cut anywhere between two characters. */
    record Stdout(String text) implements ExecutionEvent {
        public Stdout {
            requireNonNull(text, "text");
        }
    }

    /** The program wrote to its standard error. */
    record Stderr(String text) implements ExecutionEvent {
        public Stderr {
            requireNonNull(text, "text");
        }
    }
}
