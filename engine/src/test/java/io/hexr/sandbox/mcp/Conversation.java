package io.hexr.sandbox.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.config.ConfigException;
import io.hexr.sandbox.config.EngineConfig;
import io.hexr.sandbox.config.Machine;
import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ExecutionResult;
import io.hexr.sandbox.exec.ExecutionResult.Artifact;
import io.hexr.sandbox.exec.ExecutionResult.Limit;
import io.hexr.sandbox.exec.ExecutionResult.PhaseTimings;
import io.hexr.sandbox.exec.ExecutionResult.SkippedArtifact;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.policy.Allowance;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a client says to a server whose programs are not run, and what it hears. */
final class Conversation {
    static final McpHeaders NO_HEADERS = new McpHeaders(List.of(), List.of(), List.of());

    private final McpServer server;
    Allowance allowance = Allowance.UNLIMITED;
    CodeRunner runner = arguments -> result(0, "hello\n");

    @Nullable
    String arguments;

    Conversation() {
        try {
            var config = EngineConfig.load(Map.of(), new Machine(2, 4L << 30));
            server = new McpServer(
                    config.requests(),
                    config.sandboxes(),
                    () -> new Inventory(
                            "1.2.3",
                            List.of(new Inventory.Interpreter("python", "3.11.2", Map.of("numpy", "1.24.2")))));
        } catch (ConfigException e) {
            throw new IllegalArgumentException(e);
        }
    }

    record Heard(int status, JsonNode message) {
        JsonNode result() {
            assertThat(message.path("result").isObject()).as(message.toString()).isTrue();
            return message.path("result");
        }

        int error() {
            assertThat(message.path("result").isMissingNode())
                    .as(message.toString())
                    .isTrue();
            return message.path("error").path("code").asInt();
        }
    }

    Heard say(McpHeaders headers, byte[] body) {
        var answer = server.answer(headers, body, allowance, text -> {
            arguments = text.toString();
            return runner.run(text);
        });
        byte[] message = answer.message();
        return new Heard(
                answer.status(),
                message == null
                        ? JsonMapper.shared().missingNode()
                        : JsonMapper.shared().readTree(message));
    }

    /** As clients of 2025-11-25 do after the handshake. */
    Heard ask(String method, String params) {
        return say(
                new McpHeaders(List.of("2025-11-25"), List.of(), List.of()),
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}"
                        .formatted(method, params)
                        .getBytes(UTF_8));
    }

    Heard call(String arguments) {
        return ask("tools/call", "{\"name\":\"execute_code\",\"arguments\":%s}".formatted(arguments));
    }

    /** As clients of 2026-07-28 do. */
    static byte[] stateless(String method, String members) {
        return stateless(method, members, "2026-07-28");
    }

    static byte[] stateless(String method, String members, String version) {
        return """
                {"jsonrpc":"2.0","id":7,"method":"%s","params":{%s"_meta":{\
                "io.modelcontextprotocol/protocolVersion":"%s","io.modelcontextprotocol/clientCapabilities":{}}}}""".formatted(method, members.isEmpty() ? "" : members + ",", version)
                .getBytes(UTF_8);
    }

    static McpHeaders headers(String version, String method, String... name) {
        return new McpHeaders(List.of(version), List.of(method), List.of(name));
    }

    static ExecutionResult result(int exitCode, String stdout) {
        return result(exitCode, stdout, null, null, List.of());
    }

    static ExecutionResult result(
            int exitCode, String stdout, @Nullable String signal, @Nullable Limit limit, List<Artifact> artifacts) {
        var none = Duration.ZERO;
        return new ExecutionResult(
                "exec-1",
                Language.PYTHON,
                stdout,
                "",
                exitCode,
                12,
                34.5,
                limit == Limit.TIME,
                limit == Limit.MEMORY,
                signal,
                limit != null,
                false,
                limit,
                artifacts,
                List.of(new SkippedArtifact("big.bin", "too_large")),
                new PhaseTimings(none, none, true, none, none, none, none, none));
    }

    static CodeRunner refusing(EngineException why) {
        return arguments -> {
            throw why;
        };
    }
}
