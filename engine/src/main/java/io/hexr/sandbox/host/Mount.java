package io.hexr.sandbox.host;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** One line of {@code /proc/self/mountinfo}, as far as it matters here. */
record Mount(Path point, String type, Set<String> superOptions) {
    private static final int POINT_FIELD = 4;

    /**
     * Parses mountinfo, see proc(5): {@code id parent major:minor root point options [optional]... - type source super-options}. A line that
     * is not like that belongs to a file system we do not look for, and is left out.
     */
    static List<Mount> parse(List<String> mountinfo) {
        return mountinfo.stream()
                .map(line -> line.split(" - ", 2))
                .filter(halves -> halves.length == 2)
                .map(halves -> of(halves[0].split(" "), halves[1].split(" ")))
                .toList();
    }

    private static Mount of(String[] mount, String[] fileSystem) {
        return new Mount(
                Path.of(unescape(mount[POINT_FIELD])),
                fileSystem[0],
                Arrays.stream(fileSystem[2].split(",")).collect(Collectors.toUnmodifiableSet()));
    }

    /** Blanks and backslashes in paths are written in octal. */
    private static String unescape(String path) {
        return path.replace("\\040", " ")
                .replace("\\011", "\t")
                .replace("\\012", "\n")
                .replace("\\134", "\\");
    }
}
