package io.hexr.sandbox.mcp;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.json.StrictJsonReader;
import java.math.BigDecimal;
import java.nio.CharBuffer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * What a client sends: a JSON-RPC 2.0 message, one to a body. Batches were in revision 2025-03-26 only. The parameters stay text until it is
 * known who must understand them, so that a mistake in them is answered under the request's id.
 */
sealed interface JsonRpcMessage {
    String MESSAGE = "one JSON-RPC request or notification, an object";

    /** An id is echoed, so it is bounded. */
    int MAX_ID = 256;

    String ID = "a string of at most %d characters or an integer that fits 64 bits".formatted(MAX_ID);

    /**
     * Wants an answer.
     *
     * @param params null when there are none
     */
    record Request(JsonNode id, String method, @Nullable CharBuffer params) implements JsonRpcMessage {}

    /** Wants none. */
    record Notification(String method) implements JsonRpcMessage {}

    static JsonRpcMessage read(byte[] body) throws JsonRpcException {
        var draft = new Draft();
        try {
            StrictJsonReader.read(body, json -> json.object("", MESSAGE, name -> draft.read(json, name)));
        } catch (EngineException e) {
            throw JsonRpcException.malformed(e);
        }
        return draft.complete();
    }

    final class Draft {
        private @Nullable String version;
        private @Nullable JsonNode id;
        private @Nullable String method;
        private @Nullable CharBuffer params;

        private void read(StrictJsonReader json, String name) throws EngineException {
            switch (name) {
                case "jsonrpc" -> version = json.string("jsonrpc", "\"2.0\"");
                case "id" -> id = id(json);
                case "method" -> method = json.string("method", "a string");
                case "params" -> params = json.objectText("params", "an object");
                default -> json.skip();
            }
        }

        private static JsonNode id(StrictJsonReader json) throws EngineException {
            if (json.isNumber()) {
                return JsonNodeFactory.instance.numberNode(integer(json.number("id", ID)));
            }
            String id = json.string("id", ID);
            if (id.length() > MAX_ID) {
                throw EngineException.invalid("id", "id has %d characters.".formatted(id.length()), ID);
            }
            return JsonNodeFactory.instance.stringNode(id);
        }

        /** Compared before it is converted, as every number of a caller's. */
        private static long integer(BigDecimal number) throws EngineException {
            boolean fits = number.compareTo(BigDecimal.valueOf(Long.MIN_VALUE)) >= 0
                    && number.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) <= 0
                    && number.scale() <= 0;
            if (!fits) {
                throw EngineException.invalid(
                        "id", "id is %s.".formatted(StrictJsonReader.show(number.toString())), ID);
            }
            return number.longValueExact();
        }

        /** A response, which has no method, answers nothing that this server ever asked. */
        private JsonRpcMessage complete() throws JsonRpcException {
            if (!"2.0".equals(version)) {
                throw JsonRpcException.invalidRequest("jsonrpc must be \"2.0\".");
            }
            if (method == null) {
                throw JsonRpcException.invalidRequest(
                        "There is no method; this server takes requests and notifications.");
            }
            return id == null ? new Notification(method) : new Request(id, method, params);
        }
    }
}
