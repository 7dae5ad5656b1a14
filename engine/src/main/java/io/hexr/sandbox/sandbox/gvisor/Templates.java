package io.hexr.sandbox.sandbox.gvisor;

import io.hexr.sandbox.guest.GuestImage;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.host.Deadline;
import io.hexr.sandbox.host.FileTree;
import io.hexr.sandbox.host.Sha256;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import io.hexr.sandbox.sandbox.Template;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The templates this engine may use: each was found in the store and verified, or made, once since the start.
 *
 * <p>Different templates are looked for, that is read and hashed, at the same time; they are made one at a time, because making one takes all of
 * a small machine. A template is never looked for twice at once.
 */
final class Templates {
    private static final Path CPUINFO = Path.of("/proc/cpuinfo");

    private final TemplateStore store;
    private final TemplateMaker maker;
    private final GuestImage image;
    private final Path rootImage;
    private final String runscSha256;
    private final List<String> cpuinfo;

    private record Parked(Language language, int variant) {}

    private final Map<Parked, GvisorTemplate> prepared = new ConcurrentHashMap<>();
    private final Map<Parked, ReentrantLock> preparing = new ConcurrentHashMap<>();
    private final ReentrantLock making = new ReentrantLock();
    private boolean imageVerified;

    Templates(TemplateStore store, TemplateMaker maker, GuestImage image, String runscSha256) throws IOException {
        this.store = store;
        this.maker = maker;
        this.image = image;
        this.rootImage = image.rootFile().toRealPath();
        this.runscSha256 = runscSha256;
        this.cpuinfo = Files.readAllLines(CPUINFO);
    }

    /** Removes what an engine that died was making. */
    void reap() throws IOException {
        store.reap();
    }

    /** A template that {@link #prepare} gave. */
    GvisorTemplate requirePrepared(Template template) throws SandboxException {
        if (template instanceof GvisorTemplate candidate && prepared.containsValue(candidate)) {
            return candidate;
        }
        throw new SandboxException(
                Code.TEMPLATE_CORRUPT, "the template %s was not prepared by this backend".formatted(template.key()));
    }

    GvisorTemplate prepare(Language language, int variant, Deadline deadline) throws SandboxException {
        var parked = new Parked(language, variant);
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
            throw new SandboxException(Code.TEMPLATE_FAILED, "no template for %s: %s".formatted(language.id(), e), e);
        } finally {
            lock.unlock();
        }
    }

    private GvisorTemplate findOrMake(Parked parked, Deadline deadline) throws SandboxException, IOException {
        String spec = ContainerSpec.json(parked.language(), rootImage);
        String key = TemplateKey.of(image.sha256(), runscSha256, cpuinfo, spec, parked.variant());
        Optional<GvisorTemplate> found = store.find(parked.language(), parked.variant(), key);
        if (found.isPresent()) {
            return found.get();
        }
        making.lock();
        try {
            verifyImage();
            return make(parked, spec, key, deadline);
        } finally {
            making.unlock();
        }
    }

    private GvisorTemplate make(Parked parked, String spec, String key, Deadline deadline)
            throws SandboxException, IOException {
        Path directory = store.begin(key);
        try {
            TemplateStore.Facts facts = maker.make(parked.language(), spec, directory, deadline);
            return store.commit(directory, parked.language(), parked.variant(), key, facts);
        } finally {
            FileTree.delete(directory);
        }
    }

    /** Once, before something lasting is made from it. */
    private void verifyImage() throws IOException {
        if (imageVerified) {
            return;
        }
        if (!Sha256.of(rootImage).equals(image.sha256())) {
            throw new IOException(
                    rootImage + " is not what its manifest says: delete it and build the guest image anew");
        }
        imageVerified = true;
    }
}
