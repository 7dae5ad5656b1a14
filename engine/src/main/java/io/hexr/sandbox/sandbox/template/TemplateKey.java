package io.hexr.sandbox.sandbox.template;

import io.hexr.sandbox.host.Sha256;
import java.util.Map;
import java.util.TreeMap;

/**
 * The hash of everything that went into a template. A template holds the state of a processor and of one build of the program that made it, so
 * it can be resumed only where all of it is the same.
 */
public final class TemplateKey {
    private static final int LENGTH = 32;

    private TemplateKey() {}

    /** Of named parts, in whatever order. */
    public static String of(Map<String, String> parts) {
        return Sha256.of(new TreeMap<>(parts).toString()).substring(0, LENGTH);
    }
}
