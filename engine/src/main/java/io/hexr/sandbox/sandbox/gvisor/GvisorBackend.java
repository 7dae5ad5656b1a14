package io.hexr.sandbox.sandbox.gvisor;

import io.hexr.sandbox.guest.GuestImage;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.host.ChildProcess;
import io.hexr.sandbox.host.Deadline;
import io.hexr.sandbox.host.IoReason;
import io.hexr.sandbox.host.Sha256;
import io.hexr.sandbox.host.UnixListener;
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

/**
 * Sandboxes made by gVisor: a user-space kernel ({@code runsc}, systrap platform) in a cgroup of the host.
 *
 * <p>Life: {@link #open} takes the lock of the state directory and finds the host's cgroups; {@link #reap} clears what a dead engine left;
 * {@link #prepare} finds or makes checkpoints; {@link #resume} restores one into a new {@link Container}; {@link #close} ends all containers
 * and gives the lock back. Templates are shared and immutable, containers belong to one execution each.
 *
 * <p>Inside gVisor there are no cgroups: the host's cgroup around the sandbox is its memory, CPU and process limit, and its counters say what
 * happened. When memory runs out, the host's kernel kills either a process of the program, which then ended by SIGKILL, or the sentry, and the
 * channel ends; it counts an OOM kill in both cases.
 */
public final class GvisorBackend implements SandboxBackend {
    private static final Duration VERSION_TIMEOUT = Duration.ofSeconds(10);
    private static final int SHORT_HASH_LENGTH = 12;

    private final StateDirectory state;
    private final BackendInfo info;
    private final Path runsc;
    private final SandboxProcesses processes;
    private final Templates<GvisorTemplate> templates;

    private GvisorBackend(GvisorSettings settings, StateDirectory state) throws IOException, SandboxException {
        Path run = state.subdirectory("run");
        requireShort(run);
        GuestImage image = GuestImage.read(settings.guestImage());
        String runscSha256 = Sha256.of(settings.runsc());
        this.state = state;
        this.runsc = settings.runsc();
        this.info = new BackendInfo(
                "gvisor", BackendInfo.Isolation.USER_SPACE_KERNEL, version(settings.runsc(), runscSha256, run));
        this.processes = SandboxProcesses.open(settings.launcher(), state.cgroupName(), run, run);
        this.templates = new Templates<>(
                new TemplateStore(state.subdirectory("templates")),
                new TemplateMaker(
                        processes,
                        new VerifiedFile(image.rootFile(), image.sha256()),
                        settings.runsc(),
                        runscSha256,
                        CpuModel.ofThisHost()));
    }

    /**
     * Opens the backend.
     *
     * @throws SandboxException if a part is missing, the state directory is in use or sandboxes cannot be limited here
     */
    public static GvisorBackend open(GvisorSettings settings) throws SandboxException {
        requireExecutable(settings.runsc());
        requireExecutable(settings.launcher());
        try {
            StateDirectory state = StateDirectory.open(settings.stateDir());
            try {
                return new GvisorBackend(settings, state);
            } catch (IOException | SandboxException | RuntimeException e) {
                state.close();
                throw e;
            }
        } catch (IOException e) {
            throw new SandboxException(Code.BACKEND_UNUSABLE, "gVisor cannot be used: " + IoReason.of(e), e);
        }
    }

    /** Checks that the longest socket of a container fits: runsc would quietly put it elsewhere, where nobody cleans up. */
    private static void requireShort(Path run) throws IOException {
        String id = SandboxProcesses.LONGEST_ID;
        UnixListener.requireShort(run.resolve(id).resolve("runsc-" + id + ".sock"));
    }

    private static void requireExecutable(Path program) throws SandboxException {
        if (!Files.isRegularFile(program) || !Files.isExecutable(program)) {
            throw new SandboxException(
                    Code.BACKEND_UNUSABLE,
                    program + " is not an executable file; `./dev run` builds it, RUNSC_BIN and LAUNCHER_BIN name it");
        }
    }

    /** What {@code runsc --version} says; a build that was given no version is known by its hash. */
    private static String version(Path runsc, String sha256, Path run) throws IOException {
        Path output = Files.createTempFile(run, "version", ".txt");
        ChildProcess process = ChildProcess.start(RunscCommand.version(runsc), output, output);
        try {
            int status = process.await(VERSION_TIMEOUT);
            if (status != 0) {
                throw new IOException("%s --version ended with status %d: %s"
                        .formatted(runsc, status, Files.readString(output).strip()));
            }
            String first = Files.readString(output).lines().findFirst().orElse("");
            if (!first.startsWith("runsc version ")) {
                throw new IOException(
                        "%s is no runsc: its --version says \"%s\"; RUNSC_BIN names another".formatted(runsc, first));
            }
            String version = first.substring(first.lastIndexOf(' ') + 1);
            return version.isEmpty() || version.equals("VERSION_MISSING")
                    ? "sha256:" + sha256.substring(0, SHORT_HASH_LENGTH)
                    : version;
        } finally {
            process.kill();
            Files.delete(output);
        }
    }

    @Override
    public BackendInfo info() {
        return info;
    }

    @Override
    public void reap() throws SandboxException {
        try {
            processes.reap();
            templates.reap();
        } catch (IOException e) {
            throw new SandboxException(
                    Code.HOST_RESOURCE, "what an earlier engine left cannot be removed: " + e.getMessage(), e);
        }
    }

    @Override
    public Template prepare(Language language, int variant, Duration timeout) throws SandboxException {
        Deadline deadline = Deadline.after(timeout);
        sentryTemplate(deadline);
        return templates.prepare(language, variant, deadline);
    }

    /** A parked Bash is a megabyte, so a ready sandbox of it shows what gVisor itself takes. */
    private GvisorTemplate sentryTemplate(Deadline deadline) throws SandboxException {
        return templates.prepare(Language.BASH, 0, deadline);
    }

    @Override
    public Sandbox resume(Template template, HostLimits limits, Duration timeout) throws SandboxException {
        Deadline deadline = Deadline.after(timeout);
        GvisorTemplate known = templates.requirePrepared(template);
        var overhead = new SandboxOverhead(
                sentryTemplate(deadline).readyBytes(),
                known.readyBytes(),
                Runtime.getRuntime().availableProcessors());
        var container = new Container(processes.create(overhead.cgroupLimits(limits)), runsc);
        try {
            var restore = container.runsc().restore(container.id(), known.directory(), known.checkpoint());
            return new GvisorSandbox(container, container.start(restore, deadline.remaining()), overhead, limits);
        } catch (Throwable e) { // whatever it is, a container that nobody got must not stay
            container.close();
            throw e;
        }
    }

    @Override
    public void close() {
        processes.close();
        state.close();
    }
}
