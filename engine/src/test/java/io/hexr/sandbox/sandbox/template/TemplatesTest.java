package io.hexr.sandbox.sandbox.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.host.Deadline;
import io.hexr.sandbox.host.FileTree;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import io.hexr.sandbox.sandbox.Template;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TemplatesTest {
    @TempDir
    Path directory;

    private final FakeRecipe recipe = new FakeRecipe();

    private record FakeTemplate(Language language, int variant, String key, long readyBytes) implements Template {}

    /** Opens fail as they are told. */
    private static final class FakeRecipe implements TemplateRecipe<FakeTemplate> {
        private final Queue<Exception> openFailures = new ArrayDeque<>();
        private int made;
        private boolean makeFails;

        @Override
        public String key(Language language, int variant) {
            return "k";
        }

        @Override
        public void make(Language language, int variant, Path directory, Deadline deadline) throws IOException {
            made++;
            Files.writeString(directory.resolve("memory"), "memory " + made);
            if (makeFails) {
                throw new IOException("disk full");
            }
        }

        @Override
        public FakeTemplate open(Language language, int variant, String key, Path directory, Deadline deadline)
                throws SandboxException, IOException {
            switch (openFailures.poll()) {
                case null -> {}
                case SandboxException e -> throw e;
                case IOException e -> throw e;
                case Exception e -> throw new AssertionError(e);
            }
            return new FakeTemplate(language, variant, key, 1);
        }
    }

    /** As a new engine on the same directory. */
    private Template prepare() throws SandboxException {
        return new Templates<>(new TemplateStore(directory), recipe)
                .prepare(Language.BASH, 0, Deadline.after(Duration.ofSeconds(10)));
    }

    private List<String> files() throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(entry -> entry.getFileName().toString()).toList();
        }
    }

    @Test
    void aTemplateIsMadeOnceAndFoundByTheNextEngine() throws Exception {
        assertThat(prepare()).isEqualTo(prepare());

        assertThat(recipe.made).isEqualTo(1);
    }

    @Test
    void oneThatIsCorruptIsMadeAnew() throws Exception {
        prepare();
        Files.writeString(directory.resolve("bash-0-k/memory"), "other memory");

        prepare();

        assertThat(recipe.made).isEqualTo(2);
        assertThat(directory.resolve("bash-0-k/memory")).hasContent("memory 2");
    }

    @Test
    void oneThatIsWholeButDoesNotOpenIsMadeAnew() throws Exception {
        prepare();
        recipe.openFailures.add(new SandboxException(Code.RESUME_FAILED, "canary died"));
        prepare();
        recipe.openFailures.add(new IOException("unreadable"));
        prepare();

        assertThat(recipe.made).isEqualTo(3);
    }

    @Test
    void oneThatDoesNotOpenRightAfterItWasMadeIsAnError() throws Exception {
        recipe.openFailures.add(new SandboxException(Code.RESUME_FAILED, "canary died"));

        assertThatThrownBy(this::prepare)
                .isInstanceOfSatisfying(
                        SandboxException.class, e -> assertThat(e.code()).isEqualTo(Code.TEMPLATE_FAILED))
                .hasMessageContaining("canary died");
    }

    @Test
    void anEngineThatIsClosedMeanwhileDoesNotThrowTheTemplateAway() throws Exception {
        prepare();
        recipe.openFailures.add(new SandboxException(Code.CLOSED, "closed"));

        assertThatThrownBy(this::prepare)
                .isInstanceOfSatisfying(
                        SandboxException.class, e -> assertThat(e.code()).isEqualTo(Code.CLOSED));
        assertThat(files()).containsExactly("bash-0-k");
    }

    @Test
    void oneThatCannotBeMadeLeavesNothing() throws Exception {
        recipe.makeFails = true;

        assertThatThrownBy(this::prepare)
                .isInstanceOfSatisfying(
                        SandboxException.class, e -> assertThat(e.code()).isEqualTo(Code.TEMPLATE_FAILED))
                .hasMessageContaining("disk full");
        assertThat(files()).isEmpty();
    }

    @Test
    void onlyWhatWasPreparedHereIsUsed() throws Exception {
        var templates = new Templates<>(new TemplateStore(directory), recipe);
        Template prepared = templates.prepare(Language.BASH, 0, Deadline.after(Duration.ofSeconds(10)));

        assertThat(templates.requirePrepared(prepared)).isEqualTo(prepared);
        assertThatThrownBy(() -> templates.requirePrepared(new FakeTemplate(Language.BASH, 0, "other", 1)))
                .isInstanceOfSatisfying(
                        SandboxException.class, e -> assertThat(e.code()).isEqualTo(Code.TEMPLATE_CORRUPT));
    }

    @Test
    void flightRecorderIsToldWhatIsMadeAndWhatFailsAndNotWhatIsFound() throws Exception {
        try (var recording = new Recording()) {
            recording.enable("hexr.Template");
            recording.start();
            prepare();
            prepare();
            FileTree.delete(directory.resolve("bash-0-k"));
            recipe.makeFails = true;
            assertThatThrownBy(this::prepare).isInstanceOf(SandboxException.class);
            recording.stop();
            Path file = directory.resolve("recording.jfr");
            recording.dump(file);

            assertThat(RecordingFile.readAllEvents(file))
                    .extracting(
                            event -> event.getString("language"),
                            event -> event.getInt("variant"),
                            event -> event.getBoolean("made"))
                    .containsExactly(tuple("bash", 0, true), tuple("bash", 0, false));
        }
    }
}
