package io.hexr.sandbox.sandbox.gvisor;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.host.Cgroups;
import io.hexr.sandbox.host.ChildProcess;
import io.hexr.sandbox.host.Deadline;
import io.hexr.sandbox.host.DirectoryLock;
import io.hexr.sandbox.host.FileTree;
import io.hexr.sandbox.host.Sha256;
import io.hexr.sandbox.sandbox.BackendInfo;
import io.hexr.sandbox.sandbox.HostLimits;
import io.hexr.sandbox.sandbox.Sandbox;
import io.hexr.sandbox.sandbox.SandboxBackend;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import io.hexr.sandbox.sandbox.Template;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
    private static final Logger log = LoggerFactory.getLogger(GvisorBackend.class);
    private static final Duration VERSION_TIMEOUT = Duration.ofSeconds(10);
    private static final int GROUP_HASH_LENGTH = 12;
    private static final Path CPUINFO = Path.of("/proc/cpuinfo");

    private final GvisorSettings settings;
    private final BackendInfo info;
    private final GuestImage image;
    private final String runscSha256;
    private final List<String> cpuinfo;
    private final DirectoryLock stateLock;
    private final Containers containers;
    private final TemplateStore store;
    private final TemplateMaker maker;

    private record Parked(Language language, int variant) {}

    private final Map<Parked, GvisorTemplate> prepared = new ConcurrentHashMap<>();

    /** One for each template: different ones are looked for, that is read and hashed, at the same time. */
    private final Map<Parked, ReentrantLock> preparing = new ConcurrentHashMap<>();

    /** Templates are made one at a time: making one takes all of a small machine. */
    private final ReentrantLock making = new ReentrantLock();

    private boolean imageVerified;

    private GvisorBackend(GvisorSettings settings, DirectoryLock stateLock, Path state) throws IOException {
        this.settings = settings;
        this.stateLock = stateLock;
        this.image = GuestImage.read(settings.guestImage());
        this.runscSha256 = Sha256.of(settings.runsc());
        this.cpuinfo = Files.readAllLines(CPUINFO);
        Path run = privateDirectory(state.resolve("run"));
        Containers.requireShort(run);
        this.info = new BackendInfo("gvisor", BackendInfo.Isolation.USER_SPACE_KERNEL, version(state));
        String group = "hexr-sandbox-" + Sha256.of(state.toString()).substring(0, GROUP_HASH_LENGTH);
        this.containers = new Containers(settings, Cgroups.open(group), run);
        this.store = new TemplateStore(privateDirectory(state.resolve("templates")));
        this.maker = new TemplateMaker(containers);
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
            Path state = privateDirectory(settings.stateDir()).toRealPath();
            DirectoryLock stateLock = DirectoryLock.acquire(state);
            try {
                return new GvisorBackend(settings, stateLock, state);
            } catch (IOException | RuntimeException e) {
                stateLock.close();
                throw e;
            }
        } catch (IOException e) {
            throw new SandboxException(Code.BACKEND_UNUSABLE, "gVisor cannot be used: " + e, e);
        }
    }

    private static void requireExecutable(Path program) throws SandboxException {
        if (!Files.isRegularFile(program) || !Files.isExecutable(program)) {
            throw new SandboxException(
                    Code.BACKEND_UNUSABLE,
                    program + " is not an executable file; `./dev run` builds it, RUNSC_BIN and LAUNCHER_BIN name it");
        }
    }

    private static Path privateDirectory(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        return directory;
    }

    /** What {@code runsc --version} says; a build that was given no version is known by its hash. */
    private String version(Path state) throws IOException {
        Path output = Files.createTempFile(state, "version", ".txt");
        try {
            ChildProcess.start(RunscCommand.version(settings.runsc()), output, output)
                    .await(VERSION_TIMEOUT);
            String first = Files.readString(output).lines().findFirst().orElse("");
            String version = first.substring(first.lastIndexOf(' ') + 1);
            return version.isEmpty() || version.equals("VERSION_MISSING")
                    ? "sha256:" + runscSha256.substring(0, GROUP_HASH_LENGTH)
                    : version;
        } finally {
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
            containers.reap();
            store.reap();
        } catch (IOException e) {
            throw new SandboxException(
                    Code.HOST_RESOURCE, "what an earlier engine left cannot be removed: " + e.getMessage(), e);
        }
    }

    @Override
    public Template prepare(Language language, int variant, Duration timeout) throws SandboxException {
        Deadline deadline = Deadline.after(timeout);
        sentryTemplate(deadline);
        return template(new Parked(language, variant), deadline);
    }

    /** Bash parks nothing, so a ready sandbox of it shows what gVisor itself takes. */
    private GvisorTemplate sentryTemplate(Deadline deadline) throws SandboxException {
        return template(new Parked(Language.BASH, 0), deadline);
    }

    private GvisorTemplate template(Parked parked, Deadline deadline) throws SandboxException {
        GvisorTemplate known = prepared.get(parked);
        if (known != null) {
            return known;
        }
        ReentrantLock lock = preparing.computeIfAbsent(parked, _ -> new ReentrantLock());
        lock.lock();
        try {
            known = prepared.get(parked);
            if (known == null) {
                known = findOrMake(parked, deadline);
                prepared.put(parked, known);
            }
            return known;
        } catch (IOException e) {
            throw new SandboxException(Code.TEMPLATE_FAILED, "no template for " + parked + ": " + e, e);
        } finally {
            lock.unlock();
        }
    }

    private GvisorTemplate findOrMake(Parked parked, Deadline deadline) throws SandboxException, IOException {
        String spec = ContainerSpec.json(parked.language(), image.root());
        String key = TemplateKey.of(image.sha256(), runscSha256, cpuinfo, spec, parked.variant());
        Optional<GvisorTemplate> found = store.find(parked.language(), parked.variant(), key);
        if (found.isPresent()) {
            return found.get();
        }
        making.lock();
        try {
            return make(parked, spec, key, deadline);
        } finally {
            making.unlock();
        }
    }

    private GvisorTemplate make(Parked parked, String spec, String key, Deadline deadline)
            throws SandboxException, IOException {
        if (!imageVerified) {
            image.verify();
            imageVerified = true;
        }
        Path directory = store.begin(key);
        try {
            TemplateStore.Facts facts = maker.make(parked.language(), spec, directory, deadline);
            return store.commit(directory, parked.language(), parked.variant(), key, facts);
        } finally {
            FileTree.delete(directory);
        }
    }

    @Override
    public Sandbox resume(Template template, HostLimits limits, Duration timeout) throws SandboxException {
        Deadline deadline = Deadline.after(timeout);
        GvisorTemplate known = requirePrepared(template);
        var overhead = new SandboxOverhead(sentryTemplate(deadline).readyBytes(), known.readyBytes());
        Container container = containers.create(
                overhead.cgroupLimits(limits, Runtime.getRuntime().availableProcessors()));
        try {
            var restore = container.runsc().restore(container.id(), known.directory(), known.checkpoint());
            return new GvisorSandbox(container, container.start(restore, deadline.remaining()), limits, overhead);
        } catch (SandboxException | RuntimeException e) {
            container.close();
            throw e;
        }
    }

    private GvisorTemplate requirePrepared(Template template) throws SandboxException {
        if (template instanceof GvisorTemplate candidate && prepared.containsValue(candidate)) {
            return candidate;
        }
        throw new SandboxException(
                Code.TEMPLATE_CORRUPT, "the template %s was not prepared by this backend".formatted(template.key()));
    }

    @Override
    public void close() {
        containers.close();
        try {
            stateLock.close();
        } catch (IOException e) {
            log.error("cannot give the lock of the state directory back", e);
        }
    }
}
