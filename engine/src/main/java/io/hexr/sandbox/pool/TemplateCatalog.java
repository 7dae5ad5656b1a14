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
import java.util.concurrent.atomic.AtomicInteger;
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

    /** Prepares all of them, one after the other: making one keeps two cores busy. */
    static TemplateCatalog prepare(SandboxBackend backend, Map<Language, Integer> variants, Duration deadline)
            throws SandboxException {
        var rings = new EnumMap<Language, Ring>(Language.class);
        for (var language : Language.values()) {
            var ofLanguage = new ArrayList<Template>();
            for (int variant = 0; variant < variants.getOrDefault(language, 1); variant++) {
                long start = System.nanoTime();
                ofLanguage.add(backend.prepare(language, variant, deadline));
                log.info(
                        "template {}/{} ready in {} ms",
                        language.id(),
                        variant,
                        (System.nanoTime() - start) / 1_000_000);
            }
            rings.put(language, new Ring(List.copyOf(ofLanguage), new AtomicInteger()));
        }
        return new TemplateCatalog(rings);
    }

    /** Every language has a ring: {@link #prepare} makes them all or throws. */
    Template next(Language language) {
        return Objects.requireNonNull(rings.get(language), "no template").advance();
    }
}
