package io.hexr.sandbox.sandbox.template;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/** What tells this host's processor from another that would run a template differently, or not at all. */
public final class CpuModel {
    private static final Path CPUINFO = Path.of("/proc/cpuinfo");

    /** The rest of {@code /proc/cpuinfo} (MHz, core numbers) changes from read to read. */
    private static final Set<String> FIELDS = Set.of(
            "vendor_id",
            "cpu family",
            "model",
            "model name",
            "stepping",
            "flags",
            "CPU implementer",
            "CPU part",
            "Features");

    private CpuModel() {}

    public static String ofThisHost() throws IOException {
        return of(Files.readAllLines(CPUINFO));
    }

    /** The first processor stands for all. */
    static String of(List<String> cpuinfo) {
        var fields = new TreeMap<String, String>();
        for (String line : cpuinfo) {
            if (line.isBlank()) {
                break;
            }
            String[] halves =
                    Arrays.stream(line.split(":", 2)).map(String::strip).toArray(String[]::new);
            if (halves.length == 2 && FIELDS.contains(halves[0])) {
                fields.put(halves[0], halves[1]);
            }
        }
        return fields.toString();
    }
}
