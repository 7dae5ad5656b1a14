package io.hexr.sandbox.mcp;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ExecutionResult;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a model reads of a call. */
final class ResultText {
    private ResultText() {}

    static String of(ExecutionResult result) {
        var text = new StringBuilder("%s Exit code %d, %d ms, %s MiB."
                .formatted(
                        end(result),
                        result.exitCode(),
                        result.executionTimeMs(),
                        String.format(Locale.ROOT, "%.1f", result.memoryUsedMb())));
        stream(text, "stdout", result.stdout(), result.stdoutTruncated());
        stream(text, "stderr", result.stderr(), result.stderrTruncated());
        if (result.stdout().isEmpty() && result.stderr().isEmpty()) {
            text.append("\nIt printed nothing.");
        }
        result.artifacts()
                .forEach(artifact -> text.append("\nFile %s: %s, %d bytes."
                        .formatted(artifact.path(), artifact.mediaType(), artifact.content().length)));
        result.artifactsSkipped()
                .forEach(skipped -> text.append("\nFile %s did not come back: %s."
                        .formatted(skipped.path(), skipped.reason().replace('_', ' '))));
        return text.toString();
    }

    private static String end(ExecutionResult result) {
        return switch (result.limit()) {
            case TIME -> "The program was ended at its timeout.";
            case MEMORY -> "The program was ended because it needed more than its memory_mb.";
            case PROCESSES -> "The program was ended at the limit of processes.";
            case null ->
                result.signal() == null
                        ? "The program exited."
                        : "The program was ended by %s.".formatted(result.signal());
        };
    }

    private static void stream(StringBuilder text, String name, String content, boolean truncated) {
        if (!content.isEmpty()) {
            text.append("\n%s:\n".formatted(name)).append(content.stripTrailing());
        }
        if (truncated) {
            text.append("\n(there was more on %s; the rest was dropped)".formatted(name));
        }
    }

    static String of(EngineException refusal) {
        var text = new StringBuilder("%s: %s".formatted(refusal.code().id(), refusal.detail()));
        if (refusal.legal() != null) {
            text.append(" Legal is: %s.".formatted(refusal.legal()));
        }
        var seconds = retryAfterSeconds(refusal);
        if (seconds != null) {
            text.append(" Try the same call again in %d s.".formatted(seconds));
        } else if (refusal.code().retryable()) {
            text.append(" Try the same call again.");
        }
        return text.toString();
    }

    /** Whole seconds, at least one, as in the API's Retry-After. */
    static @Nullable Long retryAfterSeconds(EngineException refusal) {
        var delay = refusal.retryAfter();
        return delay == null ? null : Math.max(1, delay.plusMillis(999).toSeconds());
    }
}
