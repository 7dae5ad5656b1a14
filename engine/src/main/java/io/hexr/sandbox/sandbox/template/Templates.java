package io.hexr.sandbox.sandbox.template;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.host.Deadline;
import io.hexr.sandbox.host.FileTree;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import io.hexr.sandbox.sandbox.Template;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The templates this engine may use: each was found in the store and verified, or made, once since the start.
 *
 * <p>Different templates are looked for, that is read and hashed, at the same time; they are made one at a time, because making one takes all of
 * a small machine. A template is never looked for twice at once. One that is whole but does not open is deleted and made anew; one that does not
 * open right after it was made is an error.
 */
public final class Templates<T extends Template> {
    private static final Logger log = LoggerFactory.getLogger(Templates.class);

    private final TemplateStore store;
    private final TemplateRecipe<T> recipe;

    private record Parked(Language language, int variant) {}

    private final Map<Parked, T> prepared = new ConcurrentHashMap<>();
    private final Map<Parked, ReentrantLock> preparing = new ConcurrentHashMap<>();
    private final ReentrantLock making = new ReentrantLock();

    public Templates(TemplateStore store, TemplateRecipe<T> recipe) {
        this.store = store;
        this.recipe = recipe;
    }

    /** Removes what an engine that died was making. */
    public void reap() throws IOException {
        store.reap();
    }

    /** A template that {@link #prepare} gave. */
    public T requirePrepared(Template template) throws SandboxException {
        return prepared.values().stream()
                .filter(known -> known.equals(template))
                .findAny()
                .orElseThrow(() -> new SandboxException(
                        Code.TEMPLATE_CORRUPT,
                        "the template %s was not prepared by this backend".formatted(template.key())));
    }

    public T prepare(Language language, int variant, Deadline deadline) throws SandboxException {
        var parked = new Parked(language, variant);
        T known = prepared.get(parked);
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
        } catch (IOException | SandboxException e) {
            throw new SandboxException(
                    isClosed(e) ? Code.CLOSED : Code.TEMPLATE_FAILED,
                    "no template for %s: %s".formatted(language.id(), e.getMessage()),
                    e);
        } finally {
            lock.unlock();
        }
    }

    private T findOrMake(Parked parked, Deadline deadline) throws SandboxException, IOException {
        String key = recipe.key(parked.language(), parked.variant());
        T found = find(parked, key, deadline);
        if (found != null) {
            return found;
        }
        making.lock();
        try {
            return open(parked, key, make(parked, key, deadline), deadline);
        } finally {
            making.unlock();
        }
    }

    private @Nullable T find(Parked parked, String key, Deadline deadline) throws SandboxException, IOException {
        Optional<Path> directory = store.find(parked.language(), parked.variant(), key);
        if (directory.isEmpty()) {
            return null;
        }
        try {
            return open(parked, key, directory.get(), deadline);
        } catch (IOException | SandboxException e) {
            if (isClosed(e)) {
                throw e;
            }
            log.warn("template {} cannot be used, it will be made anew", directory.get(), e);
            FileTree.delete(directory.get());
            return null;
        }
    }

    private static boolean isClosed(Exception e) {
        return e instanceof SandboxException failure && failure.code() == Code.CLOSED;
    }

    private T open(Parked parked, String key, Path directory, Deadline deadline) throws SandboxException, IOException {
        return recipe.open(parked.language(), parked.variant(), key, directory, deadline);
    }

    private Path make(Parked parked, String key, Deadline deadline) throws SandboxException, IOException {
        long started = System.nanoTime();
        var event = new TemplateEvent(parked.language().id(), parked.variant());
        Path directory = store.begin(key);
        try {
            recipe.make(parked.language(), parked.variant(), directory, deadline);
            Path made = store.commit(directory, parked.language(), parked.variant(), key);
            log.info(
                    "made the template {} of {} in {} ms",
                    parked.variant(),
                    parked.language().id(),
                    (System.nanoTime() - started) / 1_000_000);
            event.made = true;
            return made;
        } finally {
            event.commit();
            FileTree.delete(directory);
        }
    }
}
