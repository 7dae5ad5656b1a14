package io.hexr.sandbox.guest;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One program to run in a guest.
 *
 * @param env in the caller's order, which a program that lists its environment shows
 * @param files what to write to {@code /workspace}, the script among them
 * @param stdin the whole standard input, may be empty
 */
public record GuestRun(
        GuestLimits limits,
        List<String> args,
        Map<String, String> env,
        List<GuestFile> files,
        List<String> artifactGlobs,
        byte[] stdin) {

    private static final int MAX_PATH_BYTES = 1_024;

    /** Copies the lists and checks that everything fits the frames it is sent in. */
    public GuestRun {
        args = List.copyOf(args);
        env = Collections.unmodifiableMap(new LinkedHashMap<>(env)); // Map.copyOf loses the order
        files = List.copyOf(files);
        artifactGlobs = List.copyOf(artifactGlobs);
        args.forEach(arg -> requireFits("argument", arg, Frame.MAX_PAYLOAD_BYTES));
        env.forEach((name, value) -> requireFits("variable", name + "=" + value, Frame.MAX_PAYLOAD_BYTES));
        files.forEach(file -> requireFits("path", file.path(), MAX_PATH_BYTES));
        artifactGlobs.forEach(glob -> requireFits("pattern", glob, Frame.MAX_PAYLOAD_BYTES));
    }

    private static void requireFits(String what, String text, int maxBytes) {
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > maxBytes) {
            throw new IllegalArgumentException("%s of %,d bytes; %,d is the most".formatted(what, bytes, maxBytes));
        }
    }

    /** A file below {@code /workspace}; the path is relative and was checked. */
    public record GuestFile(String path, byte[] content) {}
}
