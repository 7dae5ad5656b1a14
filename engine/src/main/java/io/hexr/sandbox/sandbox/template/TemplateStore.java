package io.hexr.sandbox.sandbox.template;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.host.FileTree;
import io.hexr.sandbox.host.SparseFile;
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

/**
 * Templates on disk, one directory {@code <language>-<variant>-<key>} each, with the hashes of all its files in {@code HASHES}, as {@link
 * SparseFile#sha256} makes them: the memory of a machine is mostly zeros. A template appears under its name complete or not at all; one that
 * does not fit its hashes is deleted. Of a language and variant only the newest is kept.
 */
public final class TemplateStore {
    private static final Logger log = LoggerFactory.getLogger(TemplateStore.class);
    private static final String HASHES = "HASHES";
    private static final String HALF_MADE = ".making-";

    private final Path directory;

    public TemplateStore(Path directory) {
        this.directory = directory;
    }

    /** The template, if it is there and every byte of it is what it was when it was made. */
    Optional<Path> find(Language language, int variant, String key) throws IOException {
        Path template = path(language, variant, key);
        if (!Files.isDirectory(template)) {
            return Optional.empty();
        }
        try {
            if (Files.readString(template.resolve(HASHES)).equals(hashes(template))) {
                return Optional.of(template);
            }
            log.warn("template {} is corrupt, it will be made anew", template);
        } catch (IOException e) {
            log.warn("template {} cannot be read, it will be made anew", template, e);
        }
        FileTree.delete(template);
        return Optional.empty();
    }

    /** A directory to make a template in. */
    Path begin(String key) throws IOException {
        Path halfMade = directory.resolve(HALF_MADE + key);
        FileTree.delete(halfMade);
        return Files.createDirectory(halfMade);
    }

    /** Gives a finished template its name, and removes those it replaces. */
    Path commit(Path made, Language language, int variant, String key) throws IOException {
        Files.writeString(made.resolve(HASHES), hashes(made));
        for (Path old : list(language.id() + "-" + variant + "-")) {
            FileTree.delete(old);
        }
        return Files.move(made, path(language, variant, key), StandardCopyOption.ATOMIC_MOVE);
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

    private static String hashes(Path template) throws IOException {
        try (Stream<Path> files = Files.walk(template)) {
            var hashes = new TreeMap<String, String>();
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String name = template.relativize(file).toString();
                if (!name.equals(HASHES)) {
                    hashes.put(name, SparseFile.sha256(file));
                }
            }
            return hashes.entrySet().stream()
                    .map(hash -> hash.getValue() + "  " + hash.getKey() + "\n")
                    .collect(Collectors.joining());
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
