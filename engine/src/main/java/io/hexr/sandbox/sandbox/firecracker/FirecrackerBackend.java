package io.hexr.sandbox.sandbox.firecracker;

import io.hexr.sandbox.guest.GuestImage;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.host.Deadline;
import io.hexr.sandbox.host.IoReason;
import io.hexr.sandbox.host.Sha256;
import io.hexr.sandbox.sandbox.BackendInfo;
import io.hexr.sandbox.sandbox.HostLimits;
import io.hexr.sandbox.sandbox.Sandbox;
import io.hexr.sandbox.sandbox.SandboxBackend;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import io.hexr.sandbox.sandbox.Template;
import io.hexr.sandbox.sandbox.process.SandboxProcesses;
import io.hexr.sandbox.sandbox.process.StateDirectory;
import io.hexr.sandbox.sandbox.template.CpuModel;
import io.hexr.sandbox.sandbox.template.TemplateStore;
import io.hexr.sandbox.sandbox.template.Templates;
import io.hexr.sandbox.sandbox.template.VerifiedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * Sandboxes made by Firecracker: a machine of its own for each, resumed from a snapshot in a jail of its own.
 *
 * <p>Life: {@link #open} takes the lock of the state directory, clears what a dead engine left and proves KVM by booting a guest; {@link #reap} clears
 * half-made templates; {@link #prepare} finds or makes snapshots, each of which was resumed once before it is used; {@link #resume} loads one
 * into a new {@link MicroVm}; {@link #close} ends all machines and gives the lock back. Snapshots are shared and immutable, machines belong to one
 * execution each.
 *
 * <p>The engine has a copy of Firecracker and of the guest's root file system in the state directory, so that an upgrade of either under a
 * running engine changes nothing for it, and so that jails can link to what they share.
 *
 * <p>Memory of the program is limited and counted inside the guest; the host's cgroup is the outer bound around the whole machine.
 */
public final class FirecrackerBackend implements SandboxBackend {
    /** Also the name of the directory of all jails: the jailer takes it from the program's file. */
    private static final String PROGRAM = "firecracker";

    /** More machines than that do not fit into MAX_CONCURRENT and the ready pool. */
    private static final int UIDS = 20_000;

    private final StateDirectory state;
    private final SandboxProcesses processes;
    private final MicroVms machines;
    private final Templates<FirecrackerTemplate> templates;
    private final BackendInfo info;

    private FirecrackerBackend(
            StateDirectory state,
            SandboxProcesses processes,
            MicroVms machines,
            Templates<FirecrackerTemplate> templates,
            FirecrackerVersion version) {
        this.state = state;
        this.processes = processes;
        this.machines = machines;
        this.templates = templates;
        this.info = new BackendInfo("firecracker", BackendInfo.Isolation.HARDWARE, version.toString());
    }

    /**
     * Opens the backend.
     *
     * @throws SandboxException if a part is missing, the state directory is in use, sandboxes cannot be limited here or no guest boots; the
     *     message is the reason
     */
    public static FirecrackerBackend open(FirecrackerSettings settings) throws SandboxException {
        requireExecutable(settings.firecracker(), "FIRECRACKER_BIN");
        requireExecutable(settings.jailer(), "JAILER_BIN");
        requireExecutable(settings.launcher(), "LAUNCHER_BIN");
        KvmProbe.requireDevice();
        try {
            StateDirectory state = StateDirectory.open(settings.stateDir());
            try {
                return open(settings, state);
            } catch (IOException | SandboxException | RuntimeException e) {
                state.close();
                throw e;
            }
        } catch (IOException e) {
            throw new SandboxException(Code.BACKEND_UNUSABLE, "Firecracker cannot be used: " + IoReason.of(e), e);
        }
    }

    private static FirecrackerBackend open(FirecrackerSettings settings, StateDirectory state)
            throws IOException, SandboxException {
        Path run = state.subdirectory("run");
        Path jails = run.resolve(PROGRAM);
        Jail.requireShort(jails);
        var kernel = GuestKernel.read(settings.guestKernel());
        var image = GuestImage.read(settings.guestImage());
        var shared = new SharedFiles(state.subdirectory("shared"));
        var drive = new VerifiedFile(shared.image(image.rootFile(), image.sha256()), image.sha256());
        Path firecracker = shared.program(settings.firecracker(), PROGRAM);
        Map<String, String> host = Map.of(
                "firecracker", Sha256.of(firecracker),
                "cpu", CpuModel.ofThisHost(),
                "kernel", System.getProperty("os.version", ""));
        var store = new TemplateStore(state.subdirectory("templates"));

        var processes = SandboxProcesses.open(settings.launcher(), state.cgroupName(), run, jails);
        try {
            // Before the first machine: those of a dead engine may have its user id.
            processes.reap();
            var machines = new MicroVms(
                    processes,
                    new UidRange(settings.uidBase(), UIDS),
                    new JailerCommand(settings.jailer(), firecracker, run),
                    MachineSize.of(settings));
            var maker = new FirecrackerTemplateMaker(machines, kernel, drive, settings.kernelArguments(), host);
            FirecrackerVersion version = KvmProbe.boot(machines, maker, settings.probeTimeout());
            return new FirecrackerBackend(state, processes, machines, new Templates<>(store, maker), version);
        } catch (IOException | SandboxException | RuntimeException e) {
            processes.close();
            throw e;
        }
    }

    private static void requireExecutable(Path program, String variable) throws SandboxException {
        if (!Files.isRegularFile(program) || !Files.isExecutable(program)) {
            throw new SandboxException(
                    Code.BACKEND_UNUSABLE, "%s is not an executable file; %s names it".formatted(program, variable));
        }
    }

    @Override
    public BackendInfo info() {
        return info;
    }

    /** Its machines are gone since {@link #open}. */
    @Override
    public void reap() throws SandboxException {
        try {
            templates.reap();
        } catch (IOException e) {
            throw new SandboxException(
                    Code.HOST_RESOURCE, "what an earlier engine left cannot be removed: " + e.getMessage(), e);
        }
    }

    @Override
    public Template prepare(Language language, int variant, Duration timeout) throws SandboxException {
        return templates.prepare(language, variant, Deadline.after(timeout));
    }

    @Override
    public Sandbox resume(Template template, HostLimits limits, Duration timeout) throws SandboxException {
        FirecrackerTemplate known = templates.requirePrepared(template);
        Deadline deadline = Deadline.after(timeout);
        MicroVm machine = machines.create(machines.size().cgroupLimits(limits));
        try {
            return new FirecrackerSandbox(machine, machine.resume(known.snapshot(), deadline), machines.size());
        } catch (Throwable e) { // whatever it is, a machine that nobody got must not stay
            machine.close();
            throw e;
        }
    }

    @Override
    public void close() {
        processes.close();
        state.close();
    }
}
