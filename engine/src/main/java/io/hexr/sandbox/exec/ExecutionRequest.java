package io.hexr.sandbox.exec;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.policy.Caller;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One call, complete and checked: every default is filled in, every value is within its limits. Nothing behind this type checks the
 * caller's input again.
 *
 * @param caller who asked
 * @param code the program's text; may be empty and may hold NUL, for it is the content of a file
 * @param timeout wall time of the program, greater than zero
 * @param env in the caller's order
 * @param stdin the whole standard input, may be empty
 * @param files to lay out in {@code /workspace}; relative, normalised, distinct paths, the script's own name not among them
 * @param artifactGlobs which files that the run made come back; empty when the caller wants none
 */
public record ExecutionRequest(
        Caller caller,
        Language language,
        String code,
        Duration timeout,
        int memoryMb,
        List<String> args,
        Map<String, String> env,
        byte[] stdin,
        List<InputFile> files,
        List<String> artifactGlobs) {

    public ExecutionRequest {
        args = List.copyOf(args);
        env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
        files = List.copyOf(files);
        artifactGlobs = List.copyOf(artifactGlobs);
    }

    /** A file for {@code /workspace}. */
    public record InputFile(String path, byte[] content) {}
}
