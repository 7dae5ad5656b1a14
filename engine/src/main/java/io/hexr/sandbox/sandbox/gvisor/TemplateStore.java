package io.hexr.sandbox.sandbox.gvisor;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.host.FileTree;
import io.hexr.sandbox.host.Sha256;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Templates on disk, one directory {@code <language>-<variant>-<key>} each, with the hashes of all its files in {@code SHA256SUMS} (as
 * sha256sum(1) writes it). A template appears under its name complete or not at all; one that does not fit its hashes is deleted. Of a language
 * and variant only the newest is kept.
 */
final class TemplateStore {
    private static final Logger log = LoggerFactory.getLogger(TemplateStore.class);
    private static final String SUMS = "SHA256SUMS";
    private static final String FACTS = "template.json";
    private static final String HALF_MADE = ".making-";

    /** What is known of a template besides its files. */
    record Facts(long readyBytes) {}

    private final Path directory;

    TemplateStore(Path directory) {
        this.directory = directory;
    }

    /** The template, if it is there and every byte of it is what it was when it was made. */
    Optional<GvisorTemplate> find(Language language, int variant, String key) throws IOException {
        Path template = path(language, variant, key);
        if (!Files.isDirectory(template)) {
            return Optional.empty();
        }
        try {
            if (Files.readString(template.resolve(SUMS)).equals(sums(template))) {
                return Optional.of(load(language, variant, key));
            }
            log.warn("template {} is corrupt, it will be made anew", template);
        } catch (IOException | JacksonException e) {
            log.warn("template {} cannot be read, it will be made anew", template, e);
        }
        FileTree.delete(template);
        return Optional.empty();
    }

    private GvisorTemplate load(Language language, int variant, String key) throws IOException {
        Path template = path(language, variant, key);
        Facts facts = JsonMapper.shared().readValue(Files.readString(template.resolve(FACTS)), Facts.class);
        return new GvisorTemplate(language, variant, key, template, facts.readyBytes());
    }

    /** A directory to make a template in. */
    Path begin(String key) throws IOException {
        Path halfMade = directory.resolve(HALF_MADE + key);
        FileTree.delete(halfMade);
        return Files.createDirectory(halfMade);
    }

    /** Gives a finished template its name, and removes those it replaces. */
    GvisorTemplate commit(Path made, Language language, int variant, String key, Facts facts) throws IOException {
        Files.writeString(made.resolve(FACTS), JsonMapper.shared().writeValueAsString(facts));
        Files.writeString(made.resolve(SUMS), sums(made));
        for (Path old : list(language.id() + "-" + variant + "-")) {
            FileTree.delete(old);
        }
        Files.move(made, path(language, variant, key), StandardCopyOption.ATOMIC_MOVE);
        return load(language, variant, key);
    }

    /** Removes what an engine that died was making. */
    void reap() throws IOException {
        for (Path halfMade : list(HALF_MADE)) {
            FileTree.delete(halfMade);
        }
    }

    private Path path(Language language, int variant, String key) {
        return directory.resolve("%s-%d-%s".formatted(language.id(), variant, key));
    }

    private List<Path> list(String prefix) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.filter(entry -> entry.getFileName().toString().startsWith(prefix))
                    .toList();
        }
    }

    private static String sums(Path template) throws IOException {
        try (Stream<Path> files = Files.walk(template)) {
            var sums = new TreeMap<String, String>();
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String name = template.relativize(file).toString();
                if (!name.equals(SUMS)) {
                    sums.put(name, Sha256.of(file));
                }
            }
            return sums.entrySet().stream()
                    .map(sum -> sum.getValue() + "  " + sum.getKey() + "\n")
                    .collect(Collectors.joining());
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
