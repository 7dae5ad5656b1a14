package io.hexr.sandbox.mcp;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ExecutionResult;
import io.hexr.sandbox.exec.ExecutionResult.Artifact;
import io.hexr.sandbox.exec.ExecutionResult.SkippedArtifact;
import io.hexr.sandbox.exec.RunOutcome;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a call of the tool gave, as a result of MCP. A program that failed and a call that was refused are both results with {@code isError}:
 * the model that wrote the call is who can do better (MCP, Tools, "Error Handling").
 */
final class ToolResult {
    /** Of a refusal: what programs branch on, where structured content would have to look like that of a run. */
    static final String PROBLEM_KEY = "io.hexr.sandbox/problem";

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .build();

    private ToolResult() {}

    static ObjectNode of(ExecutionResult result) {
        var node = MAPPER.createObjectNode();
        var content = node.putArray("content");
        content.addObject().put("type", "text").put("text", ResultText.of(result));
        result.artifacts().forEach(artifact -> content.add(ArtifactContent.of(result.executionId(), artifact)));
        node.set("structuredContent", MAPPER.valueToTree(Run.of(result)));
        return node.put("isError", result.exitCode() != 0);
    }

    static ObjectNode of(EngineException refusal) {
        var node = MAPPER.createObjectNode();
        node.putArray("content").addObject().put("type", "text").put("text", ResultText.of(refusal));
        node.put("isError", true);
        node.putObject("_meta").set(PROBLEM_KEY, MAPPER.valueToTree(Refusal.of(refusal)));
        return node;
    }

    /** The fields of the API's answer; the contents of files are not among them, for many clients show all of this to their model. */
    private record Run(
            String stdout,
            String stderr,
            @JsonUnwrapped RunOutcome outcome,
            List<File> artifacts,
            List<SkippedArtifact> artifactsSkipped) {

        private static Run of(ExecutionResult result) {
            return new Run(
                    result.stdout(),
                    result.stderr(),
                    RunOutcome.of(result),
                    result.artifacts().stream().map(File::of).toList(),
                    result.artifactsSkipped());
        }
    }

    private record File(String path, String mediaType, int size) {
        private static File of(Artifact artifact) {
            return new File(artifact.path(), artifact.mediaType(), artifact.content().length);
        }
    }

    /** The members of the API's problem documents that HTTP's status does not stand for. */
    private record Refusal(
            String code,
            String title,
            String detail,
            boolean retryable,
            @Nullable Long retryAfter,
            @Nullable String field,
            @Nullable String legal,
            @Nullable String executionId) {

        private static Refusal of(EngineException e) {
            var code = e.code();
            return new Refusal(
                    code.id(),
                    code.title(),
                    e.detail(),
                    code.retryable(),
                    ResultText.retryAfterSeconds(e),
                    e.field(),
                    e.legal(),
                    e.executionId());
        }
    }
}
