package io.hexr.sandbox.sandbox.gvisor;

import io.hexr.sandbox.host.Sha256;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/**
 * The hash of everything that went into a template. A checkpoint holds CPU state and addresses of one build of runsc, so it can be restored only
 * where all of it is the same.
 */
final class TemplateKey {
    /** To be raised when the way of making templates changes in a way that nothing else here shows. */
    private static final int FORMAT = 1;

    private static final int LENGTH = 32;

    /** What tells one processor from another in {@code /proc/cpuinfo}; the rest (MHz, core numbers) changes from read to read. */
    private static final Set<String> CPU_FIELDS = Set.of(
            "vendor_id",
            "cpu family",
            "model",
            "model name",
            "stepping",
            "flags",
            "CPU implementer",
            "CPU part",
            "Features");

    private TemplateKey() {}

    static String of(String imageSha256, String runscSha256, List<String> cpuinfo, String spec, int variant) {
        var parts = new TreeMap<String, String>();
        parts.put("format", Integer.toString(FORMAT));
        parts.put("image", imageSha256);
        parts.put("runsc", runscSha256);
        parts.put("flags", String.join(" ", RunscCommand.FLAGS));
        parts.put("cpu", cpu(cpuinfo));
        parts.put("spec", spec);
        parts.put("variant", Integer.toString(variant));
        return Sha256.of(parts.toString()).substring(0, LENGTH);
    }

    /** The first processor stands for all. */
    private static String cpu(List<String> cpuinfo) {
        var fields = new TreeMap<String, String>();
        for (String line : cpuinfo) {
            if (line.isBlank()) {
                break;
            }
            String[] halves =
                    Arrays.stream(line.split(":", 2)).map(String::strip).toArray(String[]::new);
            if (halves.length == 2 && CPU_FIELDS.contains(halves[0])) {
                fields.put(halves[0], halves[1]);
            }
        }
        return fields.toString();
    }
}
