package io.hexr.sandbox.http;

import io.hexr.sandbox.config.EngineConfig.Requests;
import io.hexr.sandbox.config.EngineConfig.Sandboxes;
import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ExecutionRequest;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.json.StrictJsonReader;
import io.hexr.sandbox.json.Utf8;
import io.hexr.sandbox.policy.Allowance;
import io.hexr.sandbox.policy.Caller;
import java.math.BigDecimal;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Body of {@code POST /api/v1/exec} → checked request. Nothing is repaired and nothing is guessed: a request that is not exactly right is
 * refused with the field at fault and what would be legal. A field that is not wanted is left out; {@code null} is no value.
 */
final class ExecutionRequestParser {
    private static final List<String> FIELDS =
            List.of("code", "language", "timeout", "memory_mb", "args", "env", "stdin", "files", "artifacts");

    private static final int MAX_GLOBS = 32;
    private static final int MAX_GLOB_BYTES = 1_024;
    private static final String GLOBS = "an array of at most %d patterns".formatted(MAX_GLOBS);
    private static final String GLOB =
            "a pattern of at most %d bytes for paths below /workspace, such as \"*.png\" or \"**/*.csv\", without NUL and \"..\""
                    .formatted(MAX_GLOB_BYTES);

    /** By default the images that a run made come back, whatever the case of their names' ends. */
    private static final List<String> IMAGES = List.of(
            "**/*.[pP][nN][gG]",
            "**/*.[jJ][pP][gG]",
            "**/*.[jJ][pP][eE][gG]",
            "**/*.[gG][iI][fF]",
            "**/*.[sS][vV][gG]",
            "**/*.[wW][eE][bB][pP]");

    /** The guest's clock counts in milliseconds. */
    private static final BigDecimal MIN_SECONDS = BigDecimal.valueOf(Allowance.MIN_TIMEOUT.toMillis(), 3);

    private final Requests limits;
    private final Sandboxes sandboxes;
    private final BigDecimal maxSeconds;

    // What is legal, in words. Made once: a call would pay for each format.
    private final String codeRule;
    private final String languageRule = String.join(", ", Language.ids());
    private final String timeoutRule;
    private final String memoryRule;

    ExecutionRequestParser(Requests limits, Sandboxes sandboxes) {
        this.limits = limits;
        this.sandboxes = sandboxes;
        this.maxSeconds =
                BigDecimal.valueOf(limits.maxExecutionTime().toMillis(), 3).stripTrailingZeros();
        this.codeRule = "a string of at most %d bytes in UTF-8".formatted(limits.maxCodeBytes());
        this.timeoutRule = "a number of seconds from %s to %s".formatted(MIN_SECONDS, maxSeconds.toPlainString());
        this.memoryRule = "an integer from %d to %d".formatted(Allowance.MIN_MEMORY_MB, limits.maxMemoryMb());
    }

    ExecutionRequest parse(Caller caller, byte[] body) throws EngineException {
        return parse(caller, Utf8.decode(body));
    }

    ExecutionRequest parse(Caller caller, CharBuffer text) throws EngineException {
        var draft = new Draft(caller.allowance());
        StrictJsonReader.read(text, json -> json.object("", "a JSON object", name -> readMember(json, name, draft)));
        return complete(caller, draft);
    }

    private final class Draft {
        private @Nullable String code;
        private @Nullable Language language;
        private Duration timeout;
        private int memoryMb;
        private final ProgramArguments arguments = new ProgramArguments();
        private String stdin = "";
        private final InputFiles files = new InputFiles(limits.maxInputFiles(), sandboxes.maxInodes());
        private List<String> artifactGlobs = IMAGES;

        /** A caller who asks for nothing gets no more than it may have. */
        Draft(Allowance allowance) {
            var most = limits.maxExecutionTime();
            timeout = most.compareTo(allowance.maxTimeout()) < 0 ? most : allowance.maxTimeout();
            memoryMb = Math.min(limits.defaultMemoryMb(), allowance.maxMemoryMb());
        }
    }

    private void readMember(StrictJsonReader json, String name, Draft draft) throws EngineException {
        switch (name) {
            case "code" -> draft.code = code(json);
            case "language" -> draft.language = language(json);
            case "timeout" -> draft.timeout = timeout(json);
            case "memory_mb" -> draft.memoryMb = memoryMb(json);
            case "args" -> draft.arguments.readArgs(json);
            case "env" -> draft.arguments.readEnv(json);
            case "stdin" -> draft.stdin = json.string("stdin", "a string");
            case "files" -> draft.files.read(json);
            case "artifacts" -> draft.artifactGlobs = globs(json);
            default -> throw unknown(name);
        }
    }

    private ExecutionRequest complete(Caller caller, Draft draft) throws EngineException {
        if (draft.code == null) {
            throw EngineException.invalid("code", "code is missing.", codeRule);
        }
        if (draft.language == null) {
            throw EngineException.invalid("language", "language is missing.", languageRule);
        }
        CallerLimits.require(caller.allowance(), draft.language, draft.timeout, draft.memoryMb);
        var space = sandboxes.spaceFor(draft.memoryMb);
        return new ExecutionRequest(
                caller,
                draft.language,
                draft.code,
                draft.timeout,
                draft.memoryMb,
                draft.arguments.args(),
                draft.arguments.env(),
                draft.stdin.getBytes(StandardCharsets.UTF_8),
                draft.files.requireFit(draft.language, Utf8.length(draft.code), space.workspaceBytes(), space.inodes()),
                draft.artifactGlobs);
    }

    private static EngineException unknown(String name) {
        String shown = StrictJsonReader.show(name);
        String hint = ClosestName.to(name, FIELDS)
                .map(" Did you mean \"%s\"?"::formatted)
                .orElse("");
        return EngineException.invalid(
                shown, "There is no field \"%s\".%s".formatted(shown, hint), String.join(", ", FIELDS));
    }

    private String code(StrictJsonReader json) throws EngineException {
        String code = json.string("code", codeRule);
        long bytes = Utf8.length(code);
        if (bytes > limits.maxCodeBytes()) {
            throw EngineException.invalid("code", "code has %d bytes.".formatted(bytes), codeRule);
        }
        return code;
    }

    private Language language(StrictJsonReader json) throws EngineException {
        String id = json.string("language", languageRule);
        return Language.byId(id)
                .orElseThrow(() -> EngineException.invalid(
                        "language", "There is no language \"%s\".".formatted(StrictJsonReader.show(id)), languageRule));
    }

    /** Compared before it is converted: a number such as 1e999999999 is cheap to compare and ruinous to expand. */
    private Duration timeout(StrictJsonReader json) throws EngineException {
        BigDecimal seconds = json.number("timeout", timeoutRule);
        requireRange("timeout", seconds, MIN_SECONDS, maxSeconds, timeoutRule);
        return Duration.ofNanos(seconds.movePointRight(9).longValue());
    }

    /** A whole number is an integer however it is written, as in JSON Schema: 256, 256.0 and 2.56e2 are the same. */
    private int memoryMb(StrictJsonReader json) throws EngineException {
        BigDecimal value = json.number("memory_mb", memoryRule);
        requireRange(
                "memory_mb",
                value,
                BigDecimal.valueOf(Allowance.MIN_MEMORY_MB),
                BigDecimal.valueOf(limits.maxMemoryMb()),
                memoryRule);
        if (value.remainder(BigDecimal.ONE).signum() != 0) {
            throw EngineException.invalid("memory_mb", "memory_mb is %s.".formatted(show(value)), memoryRule);
        }
        return value.intValue();
    }

    private static void requireRange(String field, BigDecimal value, BigDecimal min, BigDecimal max, String legal)
            throws EngineException {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw EngineException.invalid(field, "%s is %s.".formatted(field, show(value)), legal);
        }
    }

    private static String show(BigDecimal value) {
        return StrictJsonReader.show(value.toString());
    }

    private static List<String> globs(StrictJsonReader json) throws EngineException {
        var globs = new ArrayList<String>();
        json.array("artifacts", GLOBS, i -> {
            if (i == MAX_GLOBS) {
                throw EngineException.invalid("artifacts", "artifacts has too many elements.", GLOBS);
            }
            String field = "artifacts[%d]".formatted(i);
            String glob = json.string(field, GLOB);
            boolean escapes =
                    glob.startsWith("/") || List.of(glob.split("/", -1)).contains("..");
            if (glob.isEmpty() || glob.indexOf('\0') >= 0 || escapes || Utf8.length(glob) > MAX_GLOB_BYTES) {
                throw EngineException.invalid(
                        field, "%s is \"%s\".".formatted(field, StrictJsonReader.show(glob)), GLOB);
            }
            globs.add(glob);
        });
        return globs;
    }
}
