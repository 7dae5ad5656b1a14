package io.hexr.sandbox.mcp;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import io.hexr.sandbox.json.StrictJsonReader;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** A message that is not served. The message of a failed run is a result, never this. */
final class JsonRpcException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int code;
    private final int status;
    private final transient @Nullable ObjectNode data;

    private JsonRpcException(int code, int status, String message, @Nullable ObjectNode data) {
        super(message);
        this.code = code;
        this.status = status;
        this.data = data;
    }

    /** As JSON-RPC 2.0, section 5.1, and MCP 2026-07-28, Base Protocol, "Error Codes", number it. */
    int code() {
        return code;
    }

    /** Of the HTTP answer. */
    int status() {
        return status;
    }

    String detail() {
        return String.valueOf(getMessage());
    }

    @Nullable
    ObjectNode data() {
        return data;
    }

    /** The body is no JSON, or JSON that is no message. */
    static JsonRpcException malformed(EngineException e) {
        return e.code() == ErrorCode.INVALID_JSON
                ? new JsonRpcException(-32700, 400, e.detail(), null)
                : invalidRequest(withLegal(e));
    }

    static JsonRpcException invalidRequest(String message) {
        return new JsonRpcException(-32600, 400, message, null);
    }

    /** The parameters have the wrong shape; what is in {@code arguments} is the tool's affair. */
    static JsonRpcException invalidParams(EngineException e) {
        return invalidParams(withLegal(e));
    }

    static JsonRpcException invalidParams(String message) {
        return new JsonRpcException(-32602, 400, message, null);
    }

    /** The clients of a revision with handshake read an error only from an answer that went well. */
    static JsonRpcException unknownTool(ProtocolVersion version, String name) {
        return new JsonRpcException(
                -32602,
                version.isStateless() ? 400 : 200,
                "There is no tool \"%s\"; there is only %s."
                        .formatted(StrictJsonReader.show(name), ExecuteCodeTool.NAME),
                null);
    }

    static JsonRpcException methodNotFound(ProtocolVersion version, String method) {
        return new JsonRpcException(
                -32601,
                version.isStateless() ? 404 : 200,
                "There is no method \"%s\" in MCP %s as this server speaks it."
                        .formatted(StrictJsonReader.show(method), version.id()),
                null);
    }

    static JsonRpcException headerMismatch(String message) {
        return new JsonRpcException(-32020, 400, message, null);
    }

    static JsonRpcException unsupportedVersion(String requested) {
        var data = JsonNodeFactory.instance.objectNode();
        ProtocolVersion.ids().forEach(data.putArray("supported")::add);
        data.put("requested", requested);
        return new JsonRpcException(
                -32022,
                400,
                "Unsupported protocol version; supported: " + String.join(", ", ProtocolVersion.ids()),
                data);
    }

    private static String withLegal(EngineException e) {
        return e.legal() == null ? e.detail() : "%s Legal is %s.".formatted(e.detail(), e.legal());
    }
}
