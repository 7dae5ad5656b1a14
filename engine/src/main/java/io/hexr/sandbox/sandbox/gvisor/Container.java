package io.hexr.sandbox.sandbox.gvisor;

import io.hexr.sandbox.guest.GuestChannel;
import io.hexr.sandbox.host.CgroupLimits;
import io.hexr.sandbox.host.CgroupUsage;
import io.hexr.sandbox.host.ChildProcess;
import io.hexr.sandbox.host.UnixListener;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import io.hexr.sandbox.sandbox.process.SandboxProcess;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A sandbox whose processes are those of {@code runsc}: its life is that of its {@link SandboxProcess}. */
final class Container implements AutoCloseable {
    private final SandboxProcess process;
    private final RunscCommand runsc;

    Container(SandboxProcess process, Path runsc) {
        this.process = process;
        this.runsc = new RunscCommand(runsc, process.directory(), runscLog());
    }

    String id() {
        return process.id();
    }

    /** Command lines for this container's runsc. */
    RunscCommand runsc() {
        return runsc;
    }

    /** Starts runsc and returns when its standard input and output are connected to the channel. */
    GuestChannel start(List<String> program, Duration timeout) throws SandboxException {
        try (var listener = UnixListener.bind(process.directory().resolve("s"))) {
            ChildProcess started = process.start(process.launch().supervisedOn(listener.path(), program));
            return process.connected(listener.accept(timeout, started.onExit()));
        } catch (ClosedByInterruptException e) {
            throw new SandboxException(Code.RESUME_FAILED, "sandbox %s: interrupted while starting".formatted(id()), e);
        } catch (ClosedChannelException e) {
            throw notConnected(timeout, e);
        } catch (IOException e) {
            throw new SandboxException(Code.RESUME_FAILED, "sandbox %s cannot be started: %s".formatted(id(), e), e);
        }
    }

    private SandboxException notConnected(Duration timeout, Exception cause) {
        if (process.isAlive()) {
            return new SandboxException(
                    Code.RESUME_TIMEOUT,
                    "sandbox %s did not connect within %s; its log: %s".formatted(id(), timeout, log()),
                    cause);
        }
        return new SandboxException(
                Code.RESUME_FAILED, "sandbox %s ended before it connected; its log: %s".formatted(id(), log()), cause);
    }

    /** Completes when runsc and all that it started have ended. */
    CompletableFuture<?> onExit() {
        return process.onExit();
    }

    /** Runs another program in the container's cgroup to its end. */
    void execute(List<String> program, Duration timeout) throws IOException {
        process.execute(program, timeout);
    }

    void limit(CgroupLimits limits) throws SandboxException {
        process.limit(limits);
    }

    CgroupUsage usage() {
        return process.usage();
    }

    /** The last lines of what runsc and the agent wrote. */
    String log() {
        return process.log(runscLog());
    }

    void kill() {
        process.kill();
    }

    @Override
    public void close() {
        process.close();
    }

    private Path runscLog() {
        return process.directory().resolve("runsc.log");
    }
}
