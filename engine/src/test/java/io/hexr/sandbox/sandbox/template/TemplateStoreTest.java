package io.hexr.sandbox.sandbox.template;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.guest.Language;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TemplateStoreTest {
    @TempDir
    Path directory;

    private TemplateStore store;

    @BeforeEach
    void open() {
        store = new TemplateStore(directory);
    }

    private Path add(String key) throws IOException {
        Path made = store.begin(key);
        Files.writeString(made.resolve("config.json"), "{}");
        Files.writeString(Files.createDirectory(made.resolve("checkpoint")).resolve("pages.img"), "pages of " + key);
        return store.commit(made, Language.BASH, 3, key);
    }

    @Test
    void aTemplateIsFoundAsItWasMade() throws Exception {
        Path made = add("k1");

        assertThat(store.find(Language.BASH, 3, "k1")).contains(made);
        assertThat(made.resolve("checkpoint/pages.img")).hasContent("pages of k1");
    }

    @Test
    void anotherKeyVariantOrLanguageIsAnotherTemplate() throws Exception {
        add("k1");

        assertThat(store.find(Language.BASH, 3, "k2")).isEmpty();
        assertThat(store.find(Language.BASH, 4, "k1")).isEmpty();
        assertThat(store.find(Language.PYTHON, 3, "k1")).isEmpty();
    }

    @Test
    void aChangedAddedOrMissingFileMakesItCorruptAndItIsDeleted() throws Exception {
        assertCorruptAfter(template -> Files.writeString(template.resolve("checkpoint/pages.img"), "other pages"));
        assertCorruptAfter(template -> Files.writeString(template.resolve("config.json"), "{\"x\":1}"));
        assertCorruptAfter(template -> Files.createFile(template.resolve("more")));
        assertCorruptAfter(template -> Files.delete(template.resolve("checkpoint/pages.img")));
        assertCorruptAfter(template -> Files.delete(template.resolve("HASHES")));
    }

    private interface Change {
        void apply(Path template) throws IOException;
    }

    private void assertCorruptAfter(Change change) throws IOException {
        Path template = add("k1");
        change.apply(template);

        assertThat(store.find(Language.BASH, 3, "k1")).isEmpty();
        assertThat(template).doesNotExist();
    }

    @Test
    void aNewTemplateReplacesTheOldOneOfItsLanguageAndVariant() throws Exception {
        add("k1");
        Path other = store.begin("k9");
        store.commit(other, Language.PYTHON, 3, "k9");
        add("k2");

        assertThat(names()).containsExactlyInAnyOrder("bash-3-k2", "python-3-k9");
    }

    @Test
    void halfMadeTemplatesAreNotFoundAndAreReaped() throws Exception {
        add("k1");
        Files.createFile(store.begin("k2").resolve("config.json"));

        assertThat(store.find(Language.BASH, 3, "k2")).isEmpty();
        store.reap();

        assertThat(names()).containsExactly("bash-3-k1");
    }

    private List<String> names() throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(entry -> entry.getFileName().toString()).toList();
        }
    }
}
