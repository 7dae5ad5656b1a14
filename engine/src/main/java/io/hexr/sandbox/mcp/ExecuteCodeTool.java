package io.hexr.sandbox.mcp;

import io.hexr.sandbox.config.EngineConfig.Requests;
import io.hexr.sandbox.config.EngineConfig.Sandboxes;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.mcp.Inventory.Interpreter;
import io.hexr.sandbox.policy.Allowance;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The one tool, as it is listed. What never changes stands in {@code execute_code.json}; what depends on the engine and on what the policy lets
 * the caller do is filled in here. The schema helps to write a call; whether one is legal is decided where the API decides it.
 */
final class ExecuteCodeTool {
    static final String NAME = "execute_code";

    private final ObjectNode template;
    private final Requests requests;
    private final Sandboxes sandboxes;

    ExecuteCodeTool(Requests requests, Sandboxes sandboxes) {
        this.template = read();
        this.requests = requests;
        this.sandboxes = sandboxes;
    }

    private static ObjectNode read() {
        String resource = NAME + ".json";
        try (var in = Objects.requireNonNull(ExecuteCodeTool.class.getResourceAsStream(resource), resource)) {
            return (ObjectNode) JsonMapper.shared().readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    ObjectNode definition(Allowance allowance, Inventory inventory) {
        var languages = Arrays.stream(Language.values())
                .filter(allowance.languages()::contains)
                .toList();
        var maxTimeout = seconds(min(requests.maxExecutionTime(), allowance.maxTimeout()));
        int maxMemoryMb = Math.min(requests.maxMemoryMb(), allowance.maxMemoryMb());
        int memoryMb = Math.min(requests.defaultMemoryMb(), maxMemoryMb);

        var tool = template.deepCopy();
        tool.put("description", description(languages, inventory, maxTimeout, memoryMb, maxMemoryMb));
        var properties = (ObjectNode) tool.path("inputSchema").path("properties");
        var names = properties.withObject("language").putArray("enum");
        languages.forEach(language -> names.add(language.id()));
        properties.withObject("timeout").put("maximum", maxTimeout).put("default", maxTimeout);
        properties.withObject("memory_mb").put("maximum", maxMemoryMb).put("default", memoryMb);
        return tool;
    }

    /** What a model must know to write a program that works the first time. */
    private String description(
            List<Language> languages, Inventory inventory, BigDecimal maxTimeout, int memoryMb, int maxMemoryMb) {
        return """
                Runs a program in a sandbox of its own and returns its stdout, stderr, exit code and the files that it made.
                Languages: %s.
                Every call starts from nothing and leaves nothing: no variable, file or package of an earlier call is there, so send \
                the whole program and all its data. There is no network, nothing can be installed, and only /workspace, /tmp and \
                /dev/shm can be written.
                Limits: %s seconds, %d MiB of memory (%d by default), %d processes and threads, %d KiB each of stdout and stderr. A \
                program that reaches one is ended or cut short, and the result says so.
                Print what you want to see: the value of a last expression is not shown. Images that the program writes below \
                /workspace, such as plots, come back as images; name other files that should come back in artifacts.""".formatted(
                languages.stream().map(language -> show(language, inventory)).collect(Collectors.joining("; ")),
                maxTimeout.toPlainString(),
                maxMemoryMb,
                memoryMb,
                sandboxes.maxProcesses(),
                sandboxes.maxOutputBytes() >> 10);
    }

    private static String show(Language language, Inventory inventory) {
        return inventory.interpreters().stream()
                .filter(interpreter -> interpreter.language().equals(language.id()))
                .findFirst()
                .map(ExecuteCodeTool::show)
                .orElse(language.id());
    }

    private static String show(Interpreter interpreter) {
        String packages = interpreter.packages().entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .sorted()
                .collect(Collectors.joining(", "));
        return "%s %s%s"
                .formatted(
                        interpreter.language(), interpreter.version(), packages.isEmpty() ? "" : " with " + packages);
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    /** Without an exponent, as people write it. */
    private static BigDecimal seconds(Duration duration) {
        return new BigDecimal(
                BigDecimal.valueOf(duration.toMillis(), 3).stripTrailingZeros().toPlainString());
    }
}
