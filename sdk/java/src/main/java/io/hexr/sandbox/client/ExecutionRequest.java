package io.hexr.sandbox.client;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What to run. Each method gives a new request and leaves this one as it is, so one may serve as the pattern of many.
 *
 * <p>What is not given has the service's default, which is the service's to choose as it is to check: what is not legal is refused with {@link InvalidRequestException}.
 *
 * @param language {@code python}, {@code javascript} or {@code bash}
 * @param timeout wall time of the program
 * @param memoryMb memory of the program in MiB
 * @param args the program's arguments
 * @param env environment variables besides the sandbox's own
 * @param stdin the whole standard input
 * @param files what is laid out in /workspace, where the program runs
 * @param artifacts patterns of the files that come back, such as {@code *.csv}; by default images, none for an empty list
 * @param deadline for the call as a whole, waiting and retries included; it is not sent
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ExecutionRequest(
        String code,
        String language,
        @Nullable Duration timeout,
        @Nullable Integer memoryMb,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> args,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, String> env,
        @Nullable String stdin,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<InputFile> files,
        @Nullable List<String> artifacts,
        @JsonIgnore @Nullable Duration deadline) {

    public ExecutionRequest {
        requireNonNull(code, "code");
        requireNonNull(language, "language");
        args = List.copyOf(args);
        env = Map.copyOf(env);
        files = List.copyOf(files);
        artifacts = artifacts == null ? null : List.copyOf(artifacts);
    }

    /** A program in Python, until {@link #language(String)} says otherwise. */
    public static ExecutionRequest of(String code) {
        return new ExecutionRequest(code, "python", null, null, List.of(), Map.of(), null, List.of(), null, null);
    }

    public ExecutionRequest language(String language) {
        return new ExecutionRequest(code, language, timeout, memoryMb, args, env, stdin, files, artifacts, deadline);
    }

    public ExecutionRequest timeout(Duration timeout) {
        return new ExecutionRequest(code, language, timeout, memoryMb, args, env, stdin, files, artifacts, deadline);
    }

    public ExecutionRequest memoryMb(int memoryMb) {
        return new ExecutionRequest(code, language, timeout, memoryMb, args, env, stdin, files, artifacts, deadline);
    }

    public ExecutionRequest args(List<String> args) {
        return new ExecutionRequest(code, language, timeout, memoryMb, args, env, stdin, files, artifacts, deadline);
    }

    public ExecutionRequest env(Map<String, String> env) {
        return new ExecutionRequest(code, language, timeout, memoryMb, args, env, stdin, files, artifacts, deadline);
    }

    public ExecutionRequest stdin(String stdin) {
        return new ExecutionRequest(code, language, timeout, memoryMb, args, env, stdin, files, artifacts, deadline);
    }

    /** One file more: text, written in UTF-8. */
    public ExecutionRequest file(String path, String content) {
        return file(InputFile.text(path, content));
    }

    /** One file more: bytes. */
    public ExecutionRequest file(String path, byte[] content) {
        return file(InputFile.bytes(path, content));
    }

    /**
     * One file more: a copy of a file of this machine, read now.
     *
     * @throws java.io.UncheckedIOException when it cannot be read
     */
    public ExecutionRequest file(String path, Path file) {
        return file(InputFile.copyOf(path, file));
    }

    private ExecutionRequest file(InputFile file) {
        var more = new ArrayList<>(files);
        more.add(file);
        return new ExecutionRequest(code, language, timeout, memoryMb, args, env, stdin, more, artifacts, deadline);
    }

    public ExecutionRequest artifacts(List<String> patterns) {
        return new ExecutionRequest(code, language, timeout, memoryMb, args, env, stdin, files, patterns, deadline);
    }

    public ExecutionRequest deadline(Duration deadline) {
        return new ExecutionRequest(code, language, timeout, memoryMb, args, env, stdin, files, artifacts, deadline);
    }
}
