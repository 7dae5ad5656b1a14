package io.hexr.sandbox.guest;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
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
    /** Of one char: those beyond the third byte are two chars. */
    private static final long MAX_UTF8_BYTES = 3;

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

    /** How much of the caller's is to be sent, headers included: never less than that. */
    long bytes() {
        long texts = length(args) + length(env.keySet()) + length(env.values()) + length(artifactGlobs);
        long contents = stdin.length;
        for (GuestFile file : files) {
            texts += file.path().length();
            contents += file.content().length + Frame.HEADER_BYTES;
        }
        // a chunk of standard input is one more; a variable has its equals sign
        long frames = args.size() + env.size() + artifactGlobs.size() + files.size() + 1L;
        return MAX_UTF8_BYTES * texts + env.size() + contents + frames * Frame.HEADER_BYTES;
    }

    private static long length(Collection<String> texts) {
        return texts.stream().mapToLong(String::length).sum();
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
