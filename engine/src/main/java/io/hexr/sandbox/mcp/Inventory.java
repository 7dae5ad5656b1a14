package io.hexr.sandbox.mcp;

import java.util.List;
import java.util.Map;

/**
 * What the engine is and what its programs find installed.
 *
 * @param interpreters empty as long as the engine starts
 */
public record Inventory(String version, List<Interpreter> interpreters) {
    public Inventory {
        interpreters = List.copyOf(interpreters);
    }

    /**
     * An interpreter.
     *
     * @param packages name and version of its libraries
     */
    public record Interpreter(String language, String version, Map<String, String> packages) {}
}
