package io.hexr.sandbox.guest;

import java.io.IOException;

/** A program that a {@link FakeGuest} runs. One that returns without having exited is a guest that crashed. */
@FunctionalInterface
public interface FakeProgram {
    /**
     * Runs to the end.
     *
     * @param run what the engine sent, but for stdin, which the process reads
     * @throws IOException as soon as the engine has closed the channel
     */
    void run(GuestRun run, FakeProcess process) throws IOException, InterruptedException;
}
