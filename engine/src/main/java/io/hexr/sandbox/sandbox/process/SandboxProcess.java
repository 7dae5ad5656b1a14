package io.hexr.sandbox.sandbox.process;

import static java.util.Objects.requireNonNull;

import io.hexr.sandbox.guest.GuestChannel;
import io.hexr.sandbox.guest.SocketGuestChannel;
import io.hexr.sandbox.host.Cgroup;
import io.hexr.sandbox.host.CgroupLimits;
import io.hexr.sandbox.host.CgroupUsage;
import io.hexr.sandbox.host.ChildProcess;
import io.hexr.sandbox.host.Deadline;
import io.hexr.sandbox.host.FileTree;
import io.hexr.sandbox.host.LogFile;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One sandbox as the host sees it: a cgroup, a directory, processes, a channel to the guest. What the processes are is the backend's matter.
 *
 * <p>States: NEW → {@link #start} → RUNNING → {@link #kill} → KILLED → {@link #close} → CLOSED. Kill and close are allowed in every state, from
 * any thread, any number of times; start belongs to the one who made it. The lock guards the state, so that a process is either
 * started before the kill and killed by it, or not started at all; it is never held while waiting for the guest.
 *
 * <p>Failures: a start that fails leaves whatever it had made to {@link #close}. Kill goes on to its next step when one fails, and says so in the
 * engine's log: a process that SIGKILL does not end (blocked in the host's kernel) must not keep the engine from giving an answer. Close does
 * not return before the processes are gone, because they hold memory and must go on counting; only a backend that closes gives them up
 * ({@link #abandon}). What is left then, the engine's next start finds and removes ({@link SandboxProcesses#reap}).
 */
public final class SandboxProcess implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SandboxProcess.class);
    private static final long RETRY_NANOS = 1_000_000_000L;
    private static final Duration REAP_TIMEOUT = Duration.ofMillis(100);
    private static final int LOG_TAIL_BYTES = 4_096;
    private static final int FULL_DISK_BYTES = 1 << 20;

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
    private final Duration killTimeout;
    private final Consumer<SandboxProcess> onClosed;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition retry = lock.newCondition();
    private State state = State.NEW;
    private @Nullable ChildProcess child;
    private @Nullable GuestChannel channel;
    private @Nullable CgroupUsage finalUsage;
    private @Nullable Duration cpuTimeBefore;
    private String end = "";
    private boolean abandoned;

    /**
     * Takes over an existing directory and cgroup.
     *
     * @param killTimeout how long to wait for processes that were killed, before it is tried again
     */
    SandboxProcess(
            Path directory, Cgroup cgroup, Path launcher, Duration killTimeout, Consumer<SandboxProcess> onClosed) {
        this.id = cgroup.id();
        this.directory = directory;
        this.cgroup = cgroup;
        this.launcher = launcher;
        this.killTimeout = killTimeout;
        this.onClosed = onClosed;
    }

    public String id() {
        return id;
    }

    /** Its own directory; removed by {@link #close}. */
    public Path directory() {
        return directory;
    }

    /** Command lines that start a program in the cgroup, its errors in the log. */
    public LaunchCommand launch() {
        return new LaunchCommand(launcher, cgroup.directories(), stderrLog());
    }

    /** Starts a supervisor ({@link LaunchCommand}), which is outside of the cgroup and ends when all that it started have ended. */
    public ChildProcess start(List<String> supervisor) throws IOException, SandboxException {
        return start(supervisor, Path.of("/dev/null"));
    }

    /** The same with a file for the standard output. */
    public ChildProcess start(List<String> supervisor, Path output) throws IOException, SandboxException {
        lock.lock();
        try {
            requireState(State.NEW);
            child = ChildProcess.start(supervisor, output, stderrLog());
            state = State.RUNNING;
            return child;
        } finally {
            lock.unlock();
        }
    }

    /** Takes over the connection to the guest, which {@link #kill} closes. */
    public GuestChannel connected(SocketChannel socket) throws SandboxException {
        lock.lock();
        try {
            var connection = new SocketGuestChannel(socket);
            if (state != State.RUNNING) {
                attempt("close the late channel of", connection::close); // kill was here already
            }
            requireState(State.RUNNING);
            channel = connection;
            return connection;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the first process was started and has not ended. */
    public boolean isAlive() {
        lock.lock();
        try {
            return child != null && child.isAlive();
        } finally {
            lock.unlock();
        }
    }

    /** Completes when the first process has ended; that one must have been started. */
    public CompletableFuture<?> onExit() {
        lock.lock();
        try {
            return requireNonNull(child, "not started").onExit();
        } finally {
            lock.unlock();
        }
    }

    /** Runs another program in the cgroup to its end. */
    public void execute(List<String> program, Duration timeout) throws IOException {
        Path errors = directory.resolve("execute.log");
        ChildProcess process =
                ChildProcess.start(new LaunchCommand(launcher, cgroup.directories(), errors).program(program), errors);
        try {
            int status = process.await(timeout);
            if (status != 0) {
                throw new IOException("%s ended with status %d: %s".formatted(program, status, tail(errors)));
            }
        } finally {
            process.kill();
        }
    }

    /** Changes the limits of what runs here; processor time counts from here on, so that a call pays for its own and not for the resume. */
    public void limit(CgroupLimits limits) throws SandboxException {
        lock.lock();
        try {
            if (state != State.RUNNING) {
                throw new SandboxException(Code.CLOSED, "sandbox %s is %s".formatted(id, state));
            }
            cgroup.limit(limits);
            cpuTimeBefore = cgroup.cpuTime();
        } catch (IOException e) {
            throw new SandboxException(
                    Code.HOST_RESOURCE, "sandbox %s cannot be given its limits: %s".formatted(id, e), e);
        } finally {
            lock.unlock();
        }
    }

    public CgroupUsage usage() {
        lock.lock();
        try {
            return finalUsage != null ? finalUsage : readUsage();
        } finally {
            lock.unlock();
        }
    }

    /**
     * How the first process ended, if it was not by {@link #kill}, whether the disk is full, and the last lines of what was written to standard
     * error and to these files.
     */
    public String log(Path... files) {
        var text = new StringBuilder(end()).append('\n').append(fullDisk()).append('\n');
        for (Path file : files) {
            text.append(tail(file)).append('\n');
        }
        return text.append(tail(stderrLog())).toString().strip();
    }

    private String end() {
        lock.lock();
        try {
            return state == State.RUNNING ? describeEnd() : end;
        } finally {
            lock.unlock();
        }
    }

    /** Who finds no room for a log cannot say so in it. */
    private String fullDisk() {
        try {
            return Files.getFileStore(directory).getUsableSpace() < FULL_DISK_BYTES
                    ? "there is no space left on the disk of " + directory
                    : "";
        } catch (IOException e) {
            return ""; // the directory is gone
        }
    }

    private String describeEnd() {
        return child == null || child.isAlive()
                ? ""
                : "it ended by itself, with status %d".formatted(child.exitStatus());
    }

    private static String tail(Path file) {
        return LogFile.tail(file, LOG_TAIL_BYTES);
    }

    public void kill() {
        lock.lock();
        try {
            if (state == State.KILLED || state == State.CLOSED) {
                return;
            }
            end = describeEnd();
            state = State.KILLED;
            killProcesses();
            if (channel != null) {
                attempt("close the channel of", channel::close);
            }
            finalUsage = readUsage();
        } finally {
            lock.unlock();
        }
    }

    private void killProcesses() {
        ChildProcess supervisor = child;
        if (supervisor != null) {
            attempt("kill", () -> killSupervised(supervisor));
        }
    }

    /** The supervisor must outlive the others to reap them; what it started may join the cgroup only after it was found empty. */
    private void killSupervised(ChildProcess supervisor) throws IOException {
        Deadline deadline = Deadline.after(killTimeout);
        while (true) {
            cgroup.kill(deadline.remaining());
            try {
                supervisor.await(REAP_TIMEOUT);
                return;
            } catch (IOException notEnded) {
                if (deadline.remaining().isZero()) {
                    supervisor.kill();
                    throw notEnded;
                }
            }
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
            while (!endsAndLeavesItsCgroup() && !abandoned) {
                retry.awaitNanos(RETRY_NANOS);
                if (state == State.CLOSED) {
                    return; // by another thread meanwhile
                }
            }
            state = State.CLOSED;
            attempt("remove the directory of", () -> FileTree.delete(directory));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return; // the backend's close tries again
        } finally {
            lock.unlock();
        }
        onClosed.accept(this);
    }

    private boolean endsAndLeavesItsCgroup() {
        return attempt("kill", () -> cgroup.kill(killTimeout))
                && attempt("remove the cgroup of", () -> cgroup.delete(killTimeout));
    }

    /** The engine stops: {@link #close} tries once more and then returns, whatever is left. */
    void abandon() {
        lock.lock();
        try {
            abandoned = true;
            retry.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    private boolean attempt(String what, Step step) {
        try {
            step.run();
            return true;
        } catch (IOException e) {
            log.error("cannot {} sandbox {}", what, id, e);
            return false;
        }
    }

    private CgroupUsage readUsage() {
        try {
            return cgroup.usage().withCpuTimeSince(cpuTimeBefore);
        } catch (IOException e) {
            log.error("cannot read the counters of sandbox {}", id, e);
            return new CgroupUsage(0, 0, 0, 0, null);
        }
    }

    private void requireState(State required) throws SandboxException {
        if (state != required) {
            throw new SandboxException(Code.CLOSED, "sandbox %s was ended while it was starting".formatted(id));
        }
    }

    private Path stderrLog() {
        return directory.resolve("stderr.log");
    }
}
