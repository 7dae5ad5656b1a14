package io.hexr.sandbox.mcp;

import static io.hexr.sandbox.mcp.Conversation.refusing;
import static io.hexr.sandbox.mcp.Conversation.result;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import io.hexr.sandbox.exec.ExecutionResult.Artifact;
import io.hexr.sandbox.exec.ExecutionResult.Limit;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.policy.Allowance;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The tool as models see it: what it is said to be, and what its calls give. */
class ExecuteCodeToolTest {
    private static final Path CONTRACT = Path.of("src/main/resources/openapi.yaml");
    private static final byte[] PNG = HexFormat.of().parseHex("89504e470d0a1a0a00");

    private final Conversation conversation = new Conversation();

    private JsonNode tool() {
        return conversation.ask("tools/list", "{}").result().path("tools").path(0);
    }

    @Test
    void itIsListedWithHonestHints() {
        var tool = tool();

        assertThat(tool.path("name").asString()).isEqualTo("execute_code");
        assertThat(tool.path("annotations")).hasToString("""
                {"title":"Execute code in a sandbox","readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,\
                "openWorldHint":false}""");
    }

    @Test
    void itsDescriptionNamesWhatIsInstalledAndTheLimits() {
        assertThat(tool().path("description").asString())
                .contains("python 3.11.2 with numpy 1.24.2; javascript; bash.")
                .contains(
                        "30 seconds, 512 MiB of memory (256 by default), 128 processes and threads, 1024 KiB each of stdout");
    }

    @Test
    void itTellsACallerOfNoMoreThanItMayDo() {
        var all = Allowance.UNLIMITED;
        conversation.allowance = new Allowance(
                all.requestsPerSecond(),
                all.concurrent(),
                all.runSecondsPerMinute(),
                Duration.ofMillis(1_500),
                64,
                Set.of(Language.BASH));
        var properties = tool().path("inputSchema").path("properties");

        assertThat(properties.path("language").path("enum")).hasToString("[\"bash\"]");
        assertThat(properties.path("timeout").path("maximum")).hasToString("1.5");
        assertThat(properties.path("memory_mb").path("maximum")).hasToString("64");
        assertThat(properties.path("memory_mb").path("default")).hasToString("64");
        assertThat(tool().path("description").asString())
                .contains("Languages: bash.")
                .contains("1.5 seconds, 64 MiB");
    }

    @Test
    void numbersOfTheSchemaAreWrittenAsPeopleWriteThem() {
        assertThat(tool().path("inputSchema").path("properties").path("timeout").path("maximum"))
                .hasToString("30");
    }

    @Test
    void itsArgumentsAreTheFieldsOfTheApi() throws Exception {
        var request = new YAMLMapper().readTree(Files.readString(CONTRACT)).at("/components/schemas/ExecutionRequest");
        var schema = tool().path("inputSchema");

        assertThat(schema.path("properties").propertyNames())
                .containsExactlyInAnyOrderElementsOf(request.path("properties").propertyNames());
        assertThat(schema.path("required")).isEqualTo(request.path("required"));
        assertThat(schema.path("additionalProperties").asBoolean()).isFalse();
    }

    @Test
    void itsStructuredResultHasTheFieldsOfTheApiAndOfItsSchema() throws Exception {
        var answer = new YAMLMapper()
                .readTree(Files.readString(CONTRACT))
                .at("/components/schemas/ExecutionResult/required");
        var schema = tool().path("outputSchema");
        var fields = conversation.call("{}").result().path("structuredContent").propertyNames();

        assertThat(fields).containsExactlyElementsOf(schema.path("properties").propertyNames());
        assertThat(schema.path("required")).isEqualTo(answer);
        assertThat(fields).hasSize(answer.size());
    }

    @Test
    void aRunIsToldInWordsAndInStructure() {
        var result = conversation.call("{}").result();

        assertThat(result.path("isError").asBoolean()).isFalse();
        assertThat(result.path("content").path(0).path("text").asString()).isEqualTo("""
                The program exited. Exit code 0, 12 ms, 34.5 MiB.
                stdout:
                hello
                File big.bin did not come back: too large.""");
        assertThat(result.path("structuredContent").path("stdout").asString()).isEqualTo("hello\n");
        assertThat(result.path("structuredContent").path("artifacts_skipped"))
                .hasToString("[{\"path\":\"big.bin\",\"reason\":\"too_large\"}]");
    }

    @Test
    void aProgramThatFailedIsAnErrorWithItsResult() {
        conversation.runner = arguments -> result(139, "", "SIGSEGV", null, List.of());
        var result = conversation.call("{}").result();

        assertThat(result.path("isError").asBoolean()).isTrue();
        assertThat(result.path("structuredContent").path("exit_code").asInt()).isEqualTo(139);
        assertThat(result.path("content").path(0).path("text").asString())
                .startsWith("The program was ended by SIGSEGV. Exit code 139, 12 ms, 34.5 MiB.\nIt printed nothing.");
    }

    @Test
    void aProgramThatWasEndedIsToldWhyAndThatItsOutputIsNotWhole() {
        conversation.runner = arguments -> result(124, "before\n", "SIGKILL", Limit.TIME, List.of());

        assertThat(conversation
                        .call("{}")
                        .result()
                        .path("content")
                        .path(0)
                        .path("text")
                        .asString())
                .startsWith("The program was ended at its timeout. Exit code 124")
                .contains("stdout:\nbefore\n(there was more on stdout; the rest was dropped)");
    }

    @Test
    void imagesAreImagesAndOtherFilesResources() {
        conversation.runner = arguments -> result(
                0,
                "",
                null,
                null,
                List.of(
                        new Artifact("a/plot.png", "image/png", PNG),
                        new Artifact("forged.png", "image/png", "no image".getBytes(UTF_8)),
                        new Artifact("ä b.svg", "image/svg+xml", "<svg/>".getBytes(UTF_8)),
                        new Artifact("t.csv", "text/csv", new byte[] {(byte) 0xff}),
                        new Artifact("empty.gif", "image/gif", new byte[0])));
        var content = conversation.call("{}").result().path("content");

        assertThat(content.path(1))
                .hasToString("{\"type\":\"image\",\"data\":\"iVBORw0KGgoA\",\"mimeType\":\"image/png\"}");
        assertThat(content.path(2)).hasToString("""
                {"type":"resource","resource":{"uri":"sandbox://exec-1/forged.png","mimeType":"image/png","blob":"bm8gaW1hZ2U="}}""");
        assertThat(content.path(3)).hasToString("""
                {"type":"resource","resource":{"uri":"sandbox://exec-1/%C3%A4%20b.svg","mimeType":"image/svg+xml","text":"<svg/>"}}""");
        assertThat(content.path(4).path("resource").path("blob").asString()).isEqualTo("/w==");
        assertThat(content.path(5).path("resource").path("blob").asString()).isEmpty();
        assertThat(content.path(0).path("text").asString()).contains("\nFile a/plot.png: image/png, 9 bytes.\n");
    }

    @Test
    void aRefusalIsAnErrorThatSaysWhatWouldBeLegal() {
        conversation.runner =
                refusing(EngineException.invalid("timeout", "timeout is 99.", "a number of seconds from 0.001 to 30"));
        var result = conversation.call("{}").result();

        assertThat(result.path("isError").asBoolean()).isTrue();
        assertThat(result.path("content").path(0).path("text").asString())
                .isEqualTo("invalid_request: timeout is 99. Legal is: a number of seconds from 0.001 to 30.");
        assertThat(result.path("_meta").path("io.hexr.sandbox/problem")).hasToString("""
                {"code":"invalid_request","title":"The request is not valid","detail":"timeout is 99.","retryable":false,\
                "retry_after":null,"field":"timeout","legal":"a number of seconds from 0.001 to 30","execution_id":null}""");
        assertThat(result.path("structuredContent").isMissingNode()).isTrue();
    }

    @Test
    void aRefusalThatPassesSaysWhenToTryAgain() {
        conversation.runner = refusing(new EngineException(ErrorCode.QUEUE_FULL, "All places are taken.")
                .retryAfter(Duration.ofMillis(1_500)));
        var result = conversation.call("{}").result();

        assertThat(result.path("content").path(0).path("text").asString())
                .isEqualTo("queue_full: All places are taken. Try the same call again in 2 s.");
        assertThat(result.path("_meta")
                        .path("io.hexr.sandbox/problem")
                        .path("retry_after")
                        .asInt())
                .isEqualTo(2);
    }

    @Test
    void aCallWithoutArgumentsIsTheToolsToRefuse() {
        conversation.ask("tools/call", "{\"name\":\"execute_code\"}");

        assertThat(conversation.arguments).isEqualTo("{}");
    }
}
