package io.hexr.sandbox.pool;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.sandbox.SandboxBackend;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.Template;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The templates of every language. Python has several, which differ in the secret of its string hashes: that is drawn when an interpreter
 * starts and cannot be changed in a parked one, so calls take the templates in turn.
 */
final class TemplateCatalog {
    private static final Logger log = LoggerFactory.getLogger(TemplateCatalog.class);

    private final Map<Language, Ring> rings;

    private TemplateCatalog(Map<Language, Ring> rings) {
        this.rings = rings;
    }

    private record Ring(List<Template> templates, AtomicInteger next) {
        Template advance() {
            return templates.get(Math.floorMod(next.getAndIncrement(), templates.size()));
        }
    }

    /** Prepares all of them at once: checking one is mostly reading; how many it makes at a time is the backend's matter. */
    static TemplateCatalog prepare(
            SandboxBackend backend, Map<Language, Integer> variants, Duration deadline, PoolObserver observer)
            throws SandboxException {
        var preparing = new EnumMap<Language, List<Future<Template>>>(Language.class);
        try (var workers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var language : Language.values()) {
                preparing.put(
                        language,
                        IntStream.range(0, variants.getOrDefault(language, 1))
                                .mapToObj(variant ->
                                        workers.submit(() -> prepare(backend, language, variant, deadline, observer)))
                                .toList());
            }
        }
        var rings = new EnumMap<Language, Ring>(Language.class);
        for (var ofLanguage : preparing.entrySet()) {
            var templates = new ArrayList<Template>();
            for (var template : ofLanguage.getValue()) {
                templates.add(result(template));
            }
            rings.put(ofLanguage.getKey(), new Ring(List.copyOf(templates), new AtomicInteger()));
        }
        return new TemplateCatalog(rings);
    }

    private static Template prepare(
            SandboxBackend backend, Language language, int variant, Duration deadline, PoolObserver observer)
            throws SandboxException {
        long start = System.nanoTime();
        Template template = backend.prepare(language, variant, deadline);
        var took = Duration.ofNanos(System.nanoTime() - start);
        log.info("template {}/{} ready in {} ms", language.id(), variant, took.toMillis());
        observer.prepared(language, variant, took);
        return template;
    }

    private static Template result(Future<Template> done) throws SandboxException {
        try {
            return done.resultNow();
        } catch (IllegalStateException e) {
            if (done.exceptionNow() instanceof SandboxException failure) {
                throw failure;
            }
            throw e;
        }
    }

    Template next(Language language) {
        return ring(language).advance();
    }

    /** What a sandbox of this language takes while it waits. */
    long readyBytes(Language language) {
        return ring(language).templates().stream()
                .mapToLong(Template::readyBytes)
                .max()
                .orElseThrow();
    }

    /** Every language has a ring: {@link #prepare} makes them all or throws. */
    private Ring ring(Language language) {
        return Objects.requireNonNull(rings.get(language), "no template");
    }
}
