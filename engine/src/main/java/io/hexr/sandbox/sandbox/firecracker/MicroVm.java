package io.hexr.sandbox.sandbox.firecracker;

import io.hexr.sandbox.guest.GuestChannel;
import io.hexr.sandbox.guest.GuestSession;
import io.hexr.sandbox.guest.SocketGuestChannel;
import io.hexr.sandbox.host.CgroupLimits;
import io.hexr.sandbox.host.CgroupUsage;
import io.hexr.sandbox.host.ChildProcess;
import io.hexr.sandbox.host.Deadline;
import io.hexr.sandbox.host.UnixConnection;
import io.hexr.sandbox.host.UnixListener;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import io.hexr.sandbox.sandbox.process.SandboxProcess;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One machine: a Firecracker in a jail, and the guest in it.
 *
 * <h2>States</h2>
 *
 * <p>EMPTY: directory, cgroup and user id exist, no process. Then one of two ways, each taken once:
 *
 * <ul>
 *   <li>{@link #boot}: monitor started, kernel booted, interpreter parked → PARKED; {@link #snapshot} pauses the guest for good and writes its
 *       state and memory into the jail. So templates are made, and so KVM is proven.
 *   <li>{@link #resume}: monitor started, snapshot loaded, guest running, channel connected → RUNNING. The handshake is the caller's.
 * </ul>
 *
 * <p>Every state ends in KILLED ({@link #kill}) and CLOSED ({@link #close}), from any thread; the {@link SandboxProcess} underneath keeps that order.
 * Boot and resume belong to the one who made the machine.
 *
 * <h2>Failures</h2>
 *
 * <p>A machine that failed in boot, snapshot or resume is of no use: nothing is tried again on it, its owner closes it. What can happen, and how
 * it shows: the launcher or the jailer fails, the monitor dies or is killed (its process ends: {@link Code#RESUME_FAILED} with the log); the API
 * refuses ({@link ApiFault}, with Firecracker's own words; after a refused load the monitor exits by itself); API or guest do not answer by the
 * deadline ({@link Code#RESUME_TIMEOUT}); the machine was killed before its process started ({@link Code#CLOSED}). A guest that reboots or panics ends its monitor with
 * status 0 ({@code reboot=k panic=1}), so an exit status never means success; only what the agent says does.
 */
final class MicroVm implements AutoCloseable {
    /** Any number from 3 on; all machines can have the same, because each has its own socket on the host. */
    private static final int GUEST_CID = 3;

    private static final int AGENT_PORT = 52;

    /** Log and serial output of a machine that runs a program. */
    private static final long MAX_LOG_BYTES = 1 << 20;

    private final SandboxProcess process;
    private final Jail jail;
    private final JailerCommand jailer;
    private final MachineSize size;
    private final Runnable onClosed;
    private final FirecrackerApi api;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Takes over an existing process, which has not been started, and a jail in its directory. */
    MicroVm(SandboxProcess process, Jail jail, JailerCommand jailer, MachineSize size, Runnable onClosed) {
        this.process = process;
        this.jail = jail;
        this.jailer = jailer;
        this.size = size;
        this.onClosed = onClosed;
        this.api = new FirecrackerApi(jail.apiSocket());
    }

    String id() {
        return process.id();
    }

    /** What a machine boots from. */
    record BootSource(Path vmlinux, Path initramfs, Path drive, String commandLine) {}

    /** What a machine resumes from. */
    record Snapshot(Path state, Path memory, Path drive) {}

    /**
     * Boots a guest and returns when its interpreter is parked and no connection to it is left.
     *
     * @return the version of Firecracker
     */
    FirecrackerVersion boot(BootSource source, Deadline deadline) throws SandboxException {
        return attempt("boot", deadline, () -> {
            jail.put(source.vmlinux(), Jail.VMLINUX);
            jail.put(source.initramfs(), Jail.INITRAMFS);
            jail.put(source.drive(), Jail.DRIVE);
            try (UnixListener parked = jail.listenForParked()) {
                ChildProcess monitor = startMonitor(size.memoryBytes() + MAX_LOG_BYTES, deadline);
                FirecrackerVersion version = api.version(deadline);
                version.requireUsable();
                configure(source.commandLine(), deadline);
                api.send(ApiRequest.Action.INSTANCE_START, deadline);
                awaitParked(parked, monitor, deadline);
                return version;
            }
        });
    }

    private void configure(String commandLine, Deadline deadline) throws IOException {
        api.send(new ApiRequest.MachineConfig(size.vcpus(), size.memoryMib()), deadline);
        api.send(new ApiRequest.BootSource(Jail.VMLINUX, Jail.INITRAMFS, commandLine), deadline);
        // Not as root device: that would add root= to the command line, but the agent mounts it.
        api.send(new ApiRequest.Drive("root", Jail.DRIVE, false, true), deadline);
        api.send(new ApiRequest.Vsock(GUEST_CID, Jail.VSOCK), deadline);
    }

    /** The agent dials, says that it is parked, and hangs up; a connection that is open during a snapshot would be reset after it. */
    private static void awaitParked(UnixListener listener, ChildProcess monitor, Deadline deadline) throws IOException {
        try (SocketChannel socket = accept(listener, monitor, deadline)) {
            UnixConnection.within(deadline, socket, () -> {
                var session = new GuestSession(new SocketGuestChannel(socket));
                session.awaitParked();
                session.awaitHangUp();
                return session;
            });
        }
    }

    private static SocketChannel accept(UnixListener listener, ChildProcess monitor, Deadline deadline)
            throws IOException {
        try {
            return listener.accept(deadline.remaining(), monitor.onExit());
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (ClosedChannelException e) {
            throw new IOException(
                    monitor.isAlive()
                            ? "the guest did not say in time that it is parked"
                            : "the machine ended before its guest was parked",
                    e);
        }
    }

    /** Stops the guest for good and writes it down. */
    Snapshot snapshot(Deadline deadline) throws SandboxException {
        return attempt("snapshot", deadline, () -> {
            api.send(ApiRequest.Vm.PAUSED, deadline);
            api.send(new ApiRequest.SnapshotCreate("Full", Jail.STATE, Jail.MEMORY), deadline);
            return new Snapshot(jail.file(Jail.STATE), jail.file(Jail.MEMORY), jail.file(Jail.DRIVE));
        });
    }

    /** Resumes a guest and returns when its agent has accepted a connection. */
    GuestChannel resume(Snapshot snapshot, Deadline deadline) throws SandboxException {
        return attempt("resume", deadline, () -> {
            jail.put(snapshot.state(), Jail.STATE);
            jail.put(snapshot.memory(), Jail.MEMORY);
            jail.put(snapshot.drive(), Jail.DRIVE);
            startMonitor(MAX_LOG_BYTES, deadline);
            var memory = new ApiRequest.SnapshotLoad.MemoryBackend("File", Jail.MEMORY);
            api.send(new ApiRequest.SnapshotLoad(Jail.STATE, memory, true), deadline);
            return process.connected(new VsockConnector(jail.vsock(), AGENT_PORT).connect(deadline, process::isAlive));
        });
    }

    private ChildProcess startMonitor(long maxFileBytes, Deadline deadline) throws IOException, SandboxException {
        List<String> monitor = jailer.command(id(), jail.uid(), maxFileBytes);
        ChildProcess started = process.start(process.launch().supervised(monitor), monitorLog());
        api.awaitListening(deadline, process::isAlive);
        return started;
    }

    private interface Step<T> {
        T run() throws IOException, SandboxException;
    }

    private <T> T attempt(String what, Deadline deadline, Step<T> step) throws SandboxException {
        try {
            return step.run();
        } catch (IOException e) {
            throw new SandboxException(
                    deadline.remaining().isZero() ? Code.RESUME_TIMEOUT : Code.RESUME_FAILED,
                    "sandbox %s: %s failed: %s; its log: %s".formatted(id(), what, e.getMessage(), log()),
                    e);
        }
    }

    void limit(CgroupLimits limits) throws SandboxException {
        process.limit(limits);
    }

    CompletableFuture<?> onExit() {
        return process.onExit();
    }

    CgroupUsage usage() {
        return process.usage();
    }

    /** The last lines of what launcher, jailer, monitor and serial port wrote. */
    String log() {
        return process.log(monitorLog());
    }

    void kill() {
        process.kill();
    }

    @Override
    public void close() {
        process.close();
        // A user id whose process could not be ended is never used again.
        if (!process.isAlive() && closed.compareAndSet(false, true)) {
            onClosed.run();
        }
    }

    private Path monitorLog() {
        return process.directory().resolve("monitor.log");
    }
}
