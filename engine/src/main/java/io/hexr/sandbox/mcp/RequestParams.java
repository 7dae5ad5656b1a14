package io.hexr.sandbox.mcp;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.json.StrictJsonReader;
import java.nio.CharBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What this server reads of a request's parameters, whatever its method; others are passed over, as MCP wants it.
 *
 * @param name of the tool, in {@code tools/call}
 * @param arguments of the tool, as text; an empty object when there are none
 * @param handshakeVersion that {@code initialize} asks for
 * @param version that the request says it speaks, in {@code _meta}
 * @param hasCapabilities whether {@code _meta} says what the client can do
 */
record RequestParams(
        @Nullable String name,
        CharBuffer arguments,
        @Nullable String handshakeVersion,
        @Nullable String version,
        boolean hasCapabilities) {
    static final String VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
    static final String CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";

    static RequestParams read(@Nullable CharBuffer text) throws JsonRpcException {
        var draft = new Draft();
        if (text != null) {
            try {
                StrictJsonReader.read(text, json -> json.object("params", "an object", name -> draft.read(json, name)));
            } catch (EngineException e) {
                throw JsonRpcException.invalidParams(e);
            }
        }
        return new RequestParams(
                draft.name, draft.arguments, draft.handshakeVersion, draft.version, draft.hasCapabilities);
    }

    private static final class Draft {
        private @Nullable String name;
        /** Of characters that have an array, like those of every body. */
        private CharBuffer arguments = CharBuffer.wrap(new char[] {'{', '}'});

        private @Nullable String handshakeVersion;
        private @Nullable String version;
        private boolean hasCapabilities;

        private void read(StrictJsonReader json, String member) throws EngineException {
            switch (member) {
                case "name" -> name = json.string("params.name", "a string");
                case "arguments" -> arguments = json.objectText("params.arguments", "an object");
                case "protocolVersion" -> handshakeVersion = json.string("params.protocolVersion", "a string");
                case "_meta" -> json.object("params._meta", "an object", key -> readMeta(json, key));
                default -> json.skip();
            }
        }

        private void readMeta(StrictJsonReader json, String key) throws EngineException {
            switch (key) {
                case VERSION_KEY -> version = json.string("params._meta." + VERSION_KEY, "a string");
                case CAPABILITIES_KEY -> {
                    json.objectText("params._meta." + CAPABILITIES_KEY, "an object");
                    hasCapabilities = true;
                }
                default -> json.skip();
            }
        }
    }
}
