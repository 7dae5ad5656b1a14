package io.hexr.sandbox.sandbox.gvisor;

import io.hexr.sandbox.guest.GuestChannel;
import io.hexr.sandbox.guest.SocketGuestChannel;
import io.hexr.sandbox.host.Cgroup;
import io.hexr.sandbox.host.CgroupUsage;
import io.hexr.sandbox.host.ChildProcess;
import io.hexr.sandbox.host.FileTree;
import io.hexr.sandbox.host.LogFile;
import io.hexr.sandbox.host.UnixListener;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One {@code runsc} with everything it has on the host: a cgroup, a directory (state, socket, logs), processes, a channel.
 *
 * <p>States: NEW → {@link #start} → RUNNING → {@link #kill} → KILLED → {@link #close} → CLOSED. Kill and close are allowed in every state, from
 * any thread, any number of times; start belongs to the one who made the container. The lock guards the state, so that a process is either
 * started before the kill and killed by it, or not started at all; it is never held while waiting for the guest.
 *
 * <p>Failures: a start that fails leaves whatever it had made to {@link #close}. Kill goes on to its next step when one fails, and says so in the
 * engine's log: a process that SIGKILL does not end (blocked in the host's kernel) must not keep the engine from giving an answer. What close
 * could not remove, the engine's next start finds and removes ({@link Containers#reap}).
 */
final class Container implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Container.class);
    private static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);
    private static final int LOG_TAIL_BYTES = 4_096;

    private enum State {
        NEW,
        RUNNING,
        KILLED,
        CLOSED
    }

    private final String id;
    private final Path directory;
    private final Cgroup cgroup;
    private final Path launcher;
    private final RunscCommand runsc;
    private final Consumer<Container> onClosed;

    private final ReentrantLock lock = new ReentrantLock();
    private State state = State.NEW;
    private @Nullable ChildProcess child;
    private @Nullable GuestChannel channel;
    private @Nullable CgroupUsage finalUsage;

    /** Takes over an existing directory and cgroup. */
    Container(Path directory, Cgroup cgroup, GvisorSettings settings, Consumer<Container> onClosed) {
        this.id = cgroup.id();
        this.directory = directory;
        this.cgroup = cgroup;
        this.launcher = settings.launcher();
        this.runsc = new RunscCommand(settings.runsc(), directory, runscLog());
        this.onClosed = onClosed;
    }

    String id() {
        return id;
    }

    /** Command lines for this container's runsc. */
    RunscCommand runsc() {
        return runsc;
    }

    /** Starts runsc and returns when its standard input and output are connected to the channel. */
    GuestChannel start(List<String> program, Duration timeout) throws SandboxException {
        try (var listener = UnixListener.bind(directory.resolve("s"))) {
            var launch = new LaunchCommand(launcher, cgroup.directories(), stderrLog());
            ChildProcess started = spawn(launch.programOn(listener.path(), program));
            return connected(listener.accept(timeout, started.onExit()));
        } catch (ClosedByInterruptException e) {
            throw new SandboxException(Code.RESUME_FAILED, "sandbox %s: interrupted while starting".formatted(id), e);
        } catch (ClosedChannelException e) {
            throw notConnected(timeout, e);
        } catch (IOException e) {
            throw new SandboxException(Code.RESUME_FAILED, "sandbox %s cannot be started: %s".formatted(id, e), e);
        }
    }

    private ChildProcess spawn(List<String> command) throws IOException, SandboxException {
        lock.lock();
        try {
            requireState(State.NEW);
            child = ChildProcess.start(command, stderrLog());
            state = State.RUNNING;
            return child;
        } finally {
            lock.unlock();
        }
    }

    private GuestChannel connected(SocketChannel socket) throws SandboxException {
        lock.lock();
        try {
            channel = new SocketGuestChannel(socket);
            requireState(State.RUNNING);
            return channel;
        } finally {
            lock.unlock();
        }
    }

    private SandboxException notConnected(Duration timeout, Exception cause) {
        ChildProcess launched = child();
        if (launched == null || launched.isAlive()) {
            return new SandboxException(
                    Code.RESUME_TIMEOUT,
                    "sandbox %s did not connect within %s; its log: %s".formatted(id, timeout, log()),
                    cause);
        }
        return new SandboxException(
                Code.RESUME_FAILED, "sandbox %s ended before it connected; its log: %s".formatted(id, log()), cause);
    }

    /** Runs another program in the container's cgroup to its end. */
    void execute(List<String> program, Duration timeout) throws IOException {
        Path errors = directory.resolve("execute.log");
        ChildProcess process =
                ChildProcess.start(new LaunchCommand(launcher, cgroup.directories(), errors).program(program), errors);
        try {
            int status = process.await(timeout);
            if (status != 0) {
                throw new IOException("%s ended with status %d: %s %s"
                        .formatted(program, status, LogFile.tail(errors, LOG_TAIL_BYTES), log()));
            }
        } finally {
            process.kill();
        }
    }

    CgroupUsage usage() {
        lock.lock();
        try {
            return finalUsage != null ? finalUsage : readUsage();
        } finally {
            lock.unlock();
        }
    }

    /** The last lines of what runsc and the agent wrote. */
    String log() {
        return (LogFile.tail(runscLog(), LOG_TAIL_BYTES) + "\n" + LogFile.tail(stderrLog(), LOG_TAIL_BYTES)).strip();
    }

    void kill() {
        lock.lock();
        try {
            if (state == State.KILLED || state == State.CLOSED) {
                return;
            }
            state = State.KILLED;
            if (child != null) {
                // First, because it may not have joined the cgroup yet.
                child.kill();
            }
            attempt("kill", () -> cgroup.kill(KILL_TIMEOUT));
            if (child != null) {
                ChildProcess dead = child;
                attempt("reap", () -> dead.await(KILL_TIMEOUT));
            }
            if (channel != null) {
                attempt("close the channel of", channel::close);
            }
            finalUsage = readUsage();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (state == State.CLOSED) {
                return;
            }
            kill();
            state = State.CLOSED;
            attempt("remove the cgroup of", () -> cgroup.delete(KILL_TIMEOUT));
            attempt("remove the directory of", () -> FileTree.delete(directory));
        } finally {
            lock.unlock();
        }
        onClosed.accept(this);
    }

    private interface Step {
        void run() throws IOException;
    }

    private void attempt(String what, Step step) {
        try {
            step.run();
        } catch (IOException e) {
            log.error("cannot {} sandbox {}; the next start of the engine tries again", what, id, e);
        }
    }

    private CgroupUsage readUsage() {
        try {
            return cgroup.usage();
        } catch (IOException e) {
            log.error("cannot read the counters of sandbox {}", id, e);
            return new CgroupUsage(0, 0, 0, 0);
        }
    }

    private @Nullable ChildProcess child() {
        lock.lock();
        try {
            return child;
        } finally {
            lock.unlock();
        }
    }

    private void requireState(State required) throws SandboxException {
        if (state != required) {
            throw new SandboxException(Code.CLOSED, "sandbox %s was ended while it was starting".formatted(id));
        }
    }

    private Path runscLog() {
        return directory.resolve("runsc.log");
    }

    private Path stderrLog() {
        return directory.resolve("stderr.log");
    }
}
