package io.hexr.sandbox.mcp;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The revisions of MCP that are spoken, oldest first. */
enum ProtocolVersion {
    V2025_06_18("2025-06-18", Set.of("initialize", "ping", "tools/list", "tools/call")),
    /** The last that begins with a handshake. */
    V2025_11_25("2025-11-25", V2025_06_18.methods),
    V2026_07_28("2026-07-28", Set.of("server/discover", "tools/list", "tools/call"));

    private final String id;

    @SuppressWarnings("ImmutableEnumChecker") // made by Set.of
    private final Set<String> methods;

    ProtocolVersion(String id, Set<String> methods) {
        this.id = id;
        this.methods = methods;
    }

    String id() {
        return id;
    }

    /** Those of the revision that this server has. */
    Set<String> methods() {
        return methods;
    }

    /** Whether every request says by itself what it speaks, in {@code params._meta}, instead of a handshake before it. */
    boolean isStateless() {
        return this == V2026_07_28;
    }

    static Optional<ProtocolVersion> byId(String id) {
        return Arrays.stream(values()).filter(version -> version.id.equals(id)).findFirst();
    }

    /** The one asked for in a handshake, or else the newest that has one (2025-11-25, Lifecycle, "Version Negotiation"). */
    static ProtocolVersion ofHandshake(String asked) {
        return byId(asked).filter(version -> !version.isStateless()).orElse(V2025_11_25);
    }

    /** All, newest first. */
    static List<String> ids() {
        return Arrays.stream(values()).map(ProtocolVersion::id).toList().reversed();
    }
}
