package io.hexr.sandbox.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.hexr.sandbox.json.StrictJsonReader;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The headers that repeat parts of a message for whoever routes it (MCP 2026-07-28, Streamable HTTP, "Request Metadata"); every value that came,
 * since two readers of a header that comes twice may see two requests.
 */
public record McpHeaders(List<String> protocolVersion, List<String> method, List<String> name) {
    public static final String PROTOCOL_VERSION = "MCP-Protocol-Version";
    public static final String METHOD = "Mcp-Method";
    public static final String NAME = "Mcp-Name";

    private static final String ENCODED = "=?base64?";
    private static final String END = "?=";

    public McpHeaders {
        protocolVersion = List.copyOf(protocolVersion);
        method = List.copyOf(method);
        name = List.copyOf(name);
    }

    /**
     * The revision by which a request is served. One that says in {@code _meta} what it speaks must say the same in its headers; one that does
     * not is of a revision with handshake, even when it names none: before 2025-06-18 nobody did, and all have the same answers here.
     */
    ProtocolVersion versionOf(JsonRpcMessage.Request request, RequestParams params) throws JsonRpcException {
        String header = single(PROTOCOL_VERSION, protocolVersion);
        String declared = params.version();
        if (declared == null) {
            return handshakeVersion(header);
        }
        requireEqual(PROTOCOL_VERSION, header, declared);
        var version = version(declared);
        if (version.isStateless()) {
            requireEqual(METHOD, single(METHOD, method), request.method());
            if (params.name() != null && request.method().equals("tools/call")) {
                requireEqual(NAME, decoded(single(NAME, name)), params.name());
            }
            if (!params.hasCapabilities()) {
                throw JsonRpcException.invalidParams(
                        "params._meta needs \"%s\".".formatted(RequestParams.CAPABILITIES_KEY));
            }
        }
        return version;
    }

    /** A notification changes nothing here, so only what it says it speaks is looked at. */
    void requireKnownVersion() throws JsonRpcException {
        String header = single(PROTOCOL_VERSION, protocolVersion);
        if (header != null) {
            version(header);
        }
    }

    private static ProtocolVersion handshakeVersion(@Nullable String header) throws JsonRpcException {
        var version = header == null ? ProtocolVersion.V2025_11_25 : version(header);
        if (version.isStateless()) {
            throw JsonRpcException.invalidParams("params._meta needs \"%s\" and \"%s\" in MCP %s."
                    .formatted(RequestParams.VERSION_KEY, RequestParams.CAPABILITIES_KEY, version.id()));
        }
        return version;
    }

    private static ProtocolVersion version(String id) throws JsonRpcException {
        return ProtocolVersion.byId(id)
                .orElseThrow(() -> JsonRpcException.unsupportedVersion(StrictJsonReader.show(id)));
    }

    private static @Nullable String single(String header, List<String> values) throws JsonRpcException {
        if (values.size() > 1) {
            throw JsonRpcException.headerMismatch("The header %s comes more than once.".formatted(header));
        }
        return values.isEmpty() ? null : values.getFirst();
    }

    private static void requireEqual(String header, @Nullable String value, String body) throws JsonRpcException {
        if (!body.equals(value)) {
            throw JsonRpcException.headerMismatch("The header %s is %s, the body says \"%s\"."
                    .formatted(
                            header,
                            value == null ? "missing" : "\"%s\"".formatted(StrictJsonReader.show(value)),
                            StrictJsonReader.show(body)));
        }
    }

    /** What a header cannot hold as it is comes as {@code =?base64?…?=} ("Value Encoding"). */
    private static @Nullable String decoded(@Nullable String value) throws JsonRpcException {
        if (value == null || !value.startsWith(ENCODED) || !value.endsWith(END)) {
            return value;
        }
        try {
            int end = Math.max(ENCODED.length(), value.length() - END.length());
            return new String(Base64.getDecoder().decode(value.substring(ENCODED.length(), end)), UTF_8);
        } catch (IllegalArgumentException e) {
            throw JsonRpcException.headerMismatch("The header %s is not base64.".formatted(NAME));
        }
    }
}
