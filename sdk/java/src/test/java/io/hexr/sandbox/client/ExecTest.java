package io.hexr.sandbox.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.client.FakeService.Reply;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

@Timeout(60)
class ExecTest {
    private FakeService service;
    private SandboxClient client;

    @BeforeEach
    void open() throws Exception {
        service = new FakeService();
        client = SandboxClient.builder().url(service.url() + "/prefix/").build();
    }

    @AfterEach
    void close() {
        client.close();
        service.close();
    }

    @Test
    void whatIsNotGivenIsNotSent() {
        assertThat(client.exec("print(42)").stdout()).isEqualTo("42\n");

        var asked = service.asked().getFirst();
        assertThat(asked.method()).isEqualTo("POST");
        assertThat(asked.path()).isEqualTo("/prefix/api/v1/exec");
        assertThat(asked.headers()).containsEntry("Content-type", List.of("application/json"));
        assertThat(asked.headers()).containsEntry("Accept", List.of("application/json"));
        assertThat(asked.headers()).doesNotContainKey("Upgrade");
        assertThat(JsonMapper.shared().readTree(asked.body()))
                .isEqualTo(JsonMapper.shared().readTree("{\"code\": \"print(42)\", \"language\": \"python\"}"));
    }

    @Test
    void everythingThatIsGivenIsSent(@TempDir Path directory) throws Exception {
        var local = Files.write(directory.resolve("local"), new byte[] {(byte) 0xff});
        client.exec(ExecutionRequest.of("")
                .language("bash")
                .timeout(Duration.ofMillis(1_500))
                .memoryMb(64)
                .args(List.of("a", "ä\u0000\ud83d\ude00"))
                .env(Map.of("A", "1"))
                .stdin("")
                .file("text", "t")
                .file("bytes", new byte[] {0})
                .file("copy", local)
                .artifacts(List.of())
                .deadline(Duration.ofSeconds(9)));

        assertThat(JsonMapper.shared().readTree(service.asked().getFirst().body()))
                .isEqualTo(JsonMapper.shared().readTree("""
                        {"code": "", "language": "bash", "timeout": 1.500000000, "memory_mb": 64, "args": ["a", "ä\\u0000\ud83d\ude00"],
                         "env": {"A": "1"}, "stdin": "", "artifacts": [],
                         "files": [{"path": "text", "content": "t"}, {"path": "bytes", "content_base64": "AA=="},
                                   {"path": "copy", "content_base64": "/w=="}]}"""));
    }

    @Test
    void aRequestIsNeverChanged() {
        var pattern = ExecutionRequest.of("x").file("a", "1");
        var other = pattern.language("bash").file("b", "2");

        assertThat(pattern.language()).isEqualTo("python");
        assertThat(pattern.files()).extracting(InputFile::path).containsExactly("a");
        assertThat(other.files()).extracting(InputFile::path).containsExactly("a", "b");
    }

    @Test
    void aFileThatCannotBeReadIsToldBeforeAnythingIsSent(@TempDir Path directory) {
        var request = ExecutionRequest.of("x");
        assertThatThrownBy(() -> request.file("a", directory.resolve("none"))).isInstanceOf(UncheckedIOException.class);
    }

    @Test
    void everyFieldOfAResultIsThere() {
        service.reply(FakeService.json("""
                {"stdout": "o", "stderr": "e", "exit_code": 137, "execution_time_ms": 4000000000, "memory_used_mb": 34.5,
                 "execution_id": "exec-1", "language": "bash", "timed_out": false, "oom_killed": true, "signal": "SIGKILL",
                 "stdout_truncated": true, "stderr_truncated": false, "limit": "memory", "of_a_newer_service": [1],
                 "artifacts": [{"path": "d/a.png", "media_type": "image/png", "size": 2, "content_base64": "/wA="}],
                 "artifacts_skipped": [{"path": "b.png", "reason": "too_large"}]}"""));

        var result = client.exec("x");

        assertThat(result)
                .isEqualTo(new ExecutionResult(
                        "o",
                        "e",
                        137,
                        4_000_000_000L,
                        34.5,
                        "exec-1",
                        "bash",
                        false,
                        true,
                        "SIGKILL",
                        true,
                        false,
                        "memory",
                        List.of(new Artifact("d/a.png", "image/png", new byte[] {(byte) 0xff, 0})),
                        List.of(new SkippedArtifact("b.png", "too_large"))));
        assertThatThrownBy(result::raiseForExit)
                .isInstanceOf(ProgramOutOfMemoryException.class)
                .hasMessage("the program was ended at its memory limit with 34.5 MiB (exec-1): e");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "stdout",
                "stderr",
                "exit_code",
                "execution_time_ms",
                "memory_used_mb",
                "execution_id",
                "language",
                "timed_out",
                "oom_killed",
                "stdout_truncated",
                "stderr_truncated",
                "artifacts",
                "artifacts_skipped"
            })
    void anAnswerWithoutAFieldIsNoResult(String field) {
        for (var value : List.of("\"other\": 1", "\"%s\": null".formatted(field), "\"%s\": {}".formatted(field))) {
            service.reply(FakeService.json(FakeService.RESULT.replaceFirst(
                    "\"%s\": (\\[\\]|[^,}]*)".formatted(field), value.replace("\\", ""))));
            assertThatThrownBy(() -> client.exec("x")).as(value).isInstanceOf(InvalidAnswerException.class);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"exit_code\": 0 | \"exit_code\": \"0\"",
                "\"exit_code\": 0 | \"exit_code\": 0.5",
                "\"exit_code\": 0 | \"exit_code\": false",
                "\"exit_code\": 0 | \"exit_code\": 5000000000",
                "\"memory_used_mb\": 34 | \"memory_used_mb\": \"34\"",
                "\"language\": \"python\" | \"language\": 1",
                "\"language\": \"python\" | \"language\": 1.5",
                "\"language\": \"python\" | \"language\": true",
                "\"timed_out\": false | \"timed_out\": 0",
                "\"timed_out\": false | \"timed_out\": \"false\"",
                "\"artifacts\": [] | \"artifacts\": [{\"path\": \"a\", \"media_type\": \"b\", \"content_base64\": \"!\"}]",
                "\"artifacts\": [] | \"artifacts\": [null]",
                "\"artifacts\": [] | \"artifacts\": [{\"path\": \"a\", \"media_type\": \"b\"}]",
            })
    void aFieldOfAnotherTypeIsNoResult(String right, String wrong) {
        service.reply(FakeService.json(FakeService.RESULT.replace(right, wrong)));

        assertThat(FakeService.RESULT).contains(right);
        assertThatThrownBy(() -> client.exec("x")).isInstanceOf(InvalidAnswerException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "null", "[]", "1", "{", "<html>"})
    void whatIsNoJsonObjectIsNoResult(String body) {
        service.reply(FakeService.json(body));

        assertThatThrownBy(() -> client.exec("x"))
                .isInstanceOf(InvalidAnswerException.class)
                .hasMessageContaining("does the URL lead to a Sandbox Engine?");
    }

    @Test
    void whatIsNotDeclaredAsJsonIsNoResult() {
        service.reply(Reply.of(200, "text/html", FakeService.RESULT));

        assertThatThrownBy(() -> client.exec("x"))
                .isInstanceOf(InvalidAnswerException.class)
                .hasMessageContaining("answered with text/html");
    }

    @Test
    void aStringMayBeLongerThanWhatTheJsonLibraryTakesByItself() {
        var long30 = "x".repeat(30 << 20);
        service.reply(FakeService.json(FakeService.RESULT.replace("42\\n", long30)));

        assertThat(client.exec("x").stdout()).hasSize(30 << 20);
    }

    @Test
    void healthIsTakenFromAnAnswerWith503AsWell() {
        var health = """
                {"status": "draining", "reason": "It shuts down.", "version": "1", "backend": "gvisor", "backend_version": null,
                 "backend_reason": null, "isolation": "user_space_kernel", "load": {"capacity": 4, "running": 1, "queue_length": 9, "waiting": 2},
                 "languages": [{"language": "bash", "version": "5", "packages": {"a": "1"}}],
                 "pool": {"memory_mb": 1, "used_mb": 2, "failures": 3, "languages": [{"language": "bash", "ready": 1, "refilling": 2, "target": 3}]}}""";
        service.reply(Reply.of(503, "application/json", health));

        assertThat(client.health())
                .isEqualTo(new Health(
                        "draining",
                        "It shuts down.",
                        "1",
                        "gvisor",
                        null,
                        null,
                        "user_space_kernel",
                        List.of(new Health.Language("bash", "5", Map.of("a", "1"))),
                        new Health.Load(4, 1, 9, 2),
                        new Health.Pool(1, 2, 3, List.of(new Health.PoolLevel("bash", 1, 2, 3)))));
        assertThat(service.asked().getFirst().path()).isEqualTo("/prefix/health");
        assertThat(client.health().ok()).isFalse();
    }
}
