package io.hexr.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The documents name only what there is. */
class DocumentsTest {
    private static final Path ROOT = Path.of("..");
    private static final Set<String> BUILT = Set.of("target", "build", "dist", "node_modules");
    private static final Pattern LINK = Pattern.compile("]\\(([^)#\\s]+)[^)]*\\)");
    private static final Pattern PROMISE = Pattern.compile("(?m)^\\| ([A-Z]\\d+) \\|.*\\| (.*) \\|$");
    private static final Pattern TEST = Pattern.compile("`([^` ]+)[^`]*`");

    private static final List<Path> files = new ArrayList<>();

    @BeforeAll
    static void listTheTree() throws IOException {
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                var name = String.valueOf(directory.getFileName());
                if (!directory.equals(ROOT) && (name.startsWith(".") || BUILT.contains(name))) {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                files.add(file);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    @Test
    void everyLinkLeadsToAFile() throws IOException {
        var dead = new ArrayList<String>();
        for (var document : files) {
            if (document.toString().endsWith(".md")) {
                LINK.matcher(Files.readString(document))
                        .results()
                        .map(link -> link.group(1))
                        .filter(link -> !link.contains("://") && !Files.exists(document.resolveSibling(link)))
                        .forEach(link -> dead.add(document + " links to " + link));
            }
        }
        assertThat(dead).isEmpty();
    }

    @Test
    void everyPromiseOfTheSpecificationNamesTestsThatThereAre() throws IOException {
        var names = files.stream()
                .map(file -> String.valueOf(file.getFileName()))
                .flatMap(name -> Stream.of(name, name.replaceFirst("\\.java$", "")))
                .collect(Collectors.toSet());
        var untested = new ArrayList<String>();
        var promises = PROMISE.matcher(Files.readString(ROOT.resolve("docs/SPECIFICATION.md")))
                .results()
                .toList();
        for (var promise : promises) {
            var tests = TEST.matcher(promise.group(2))
                    .results()
                    .map(test -> test.group(1))
                    .toList();
            if (tests.isEmpty()) {
                untested.add(promise.group(1) + " names none");
            }
            tests.stream()
                    .filter(test -> !names.contains(test) && !Files.exists(ROOT.resolve(test)))
                    .forEach(test -> untested.add(promise.group(1) + " names " + test));
        }
        assertThat(promises).hasSizeGreaterThan(40);
        assertThat(untested).isEmpty();
    }
}
