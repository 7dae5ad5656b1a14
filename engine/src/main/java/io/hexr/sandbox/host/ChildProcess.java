package io.hexr.sandbox.host;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * A child process without pipes: its input is empty, its output goes nowhere, its errors go to a file. Pipes of a process pin the carrier of a
 * virtual thread that reads them. It gets none of the engine's environment, which may hold secrets.
 */
public final class ChildProcess {
    private static final String PATH = "/usr/sbin:/usr/bin:/sbin:/bin";

    private final String name;
    private final Process process;

    private ChildProcess(String name, Process process) {
        this.name = name;
        this.process = process;
    }

    public static ChildProcess start(List<String> command, Path errors) throws IOException {
        return start(command, Path.of("/dev/null"), errors);
    }

    public static ChildProcess start(List<String> command, Path output, Path errors) throws IOException {
        var builder = new ProcessBuilder(command)
                .directory(new File("/"))
                .redirectInput(new File("/dev/null"))
                .redirectOutput(Redirect.appendTo(output.toFile()))
                .redirectError(Redirect.appendTo(errors.toFile()));
        builder.environment().clear();
        builder.environment().put("PATH", PATH);
        return new ChildProcess(command.getFirst(), builder.start());
    }

    public long pid() {
        return process.pid();
    }

    public CompletableFuture<?> onExit() {
        return process.onExit();
    }

    /**
     * Waits for the end and gives the exit status. Interrupts do not end the wait, because it is part of cleaning up.
     *
     * @throws IOException if it does not end in time; it goes on running
     */
    public int await(Duration timeout) throws IOException {
        try {
            return process.onExit()
                    .orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
                    .join()
                    .exitValue();
        } catch (CompletionException e) {
            throw new IOException("%s (pid %d) did not end within %s".formatted(name, pid(), timeout), e);
        }
    }

    /** Of a process that has ended; 128 + n after signal n, as shells have it. */
    public int exitStatus() {
        return process.exitValue();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public void kill() {
        process.destroyForcibly();
    }
}
