package io.hexr.sandbox.mcp;

import io.hexr.sandbox.config.EngineConfig.Requests;
import io.hexr.sandbox.config.EngineConfig.Sandboxes;
import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.mcp.JsonRpcMessage.Notification;
import io.hexr.sandbox.mcp.JsonRpcMessage.Request;
import io.hexr.sandbox.policy.Allowance;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Answers the messages of MCP clients, each by itself: nothing is kept from one to the next, so there are no sessions to bound, to end or to
 * steal, and any engine can answer any message. That is how revision 2026-07-28 has it; those before it allow it, since a server need not
 * give out a session id, and the handshake tells this server nothing that it has to remember.
 *
 * <p>Two things that need a memory are therefore accepted and without effect: {@code notifications/cancelled}, which names a request by a
 * number that another client of the same identity may use too, and {@code notifications/initialized}.
 */
public final class McpServer {
    /** How long a client may believe what it was told of the tools; they change with the engine and its policy only. */
    private static final int TTL_MS = 300_000;

    private final ExecuteCodeTool tool;
    private final Supplier<Inventory> inventory;

    public McpServer(Requests requests, Sandboxes sandboxes, Supplier<Inventory> inventory) {
        this.tool = new ExecuteCodeTool(requests, sandboxes);
        this.inventory = inventory;
    }

    /**
     * Blocks as long as the message takes.
     *
     * @param allowance of the caller, who is to be told of no more than it may do
     * @param runner for the caller
     */
    public McpAnswer answer(McpHeaders headers, byte[] body, Allowance allowance, CodeRunner runner) {
        JsonNode id = null;
        try {
            var message = JsonRpcMessage.read(body);
            return switch (message) {
                case Notification _ -> {
                    headers.requireKnownVersion();
                    yield new McpAnswer(202, null);
                }
                case Request request -> {
                    id = request.id();
                    yield new McpAnswer(200, response(id, result(headers, request, allowance, runner)));
                }
            };
        } catch (JsonRpcException e) {
            return new McpAnswer(e.status(), error(id, e));
        }
    }

    private ObjectNode result(McpHeaders headers, Request request, Allowance allowance, CodeRunner runner)
            throws JsonRpcException {
        var params = RequestParams.read(request.params());
        var version = headers.versionOf(request, params);
        if (!version.methods().contains(request.method())) {
            throw JsonRpcException.methodNotFound(version, request.method());
        }
        var here = inventory.get();
        var result = switch (request.method()) {
            case "initialize" -> initialization(params, here);
            case "ping" -> object();
            case "server/discover" -> discovery();
            case "tools/list" -> tools(allowance, here);
            case "tools/call" -> call(version, params, runner);
            default -> throw new IllegalStateException(request.method());
        };
        if (version.isStateless()) {
            if (!request.method().equals("tools/call")) {
                // private, because what is listed depends on what the policy lets the caller do
                result.put("ttlMs", TTL_MS).put("cacheScope", "private");
            }
            result.put("resultType", "complete");
            result.withObject("_meta").set("io.modelcontextprotocol/serverInfo", serverInfo(here));
        }
        return result;
    }

    private static ObjectNode initialization(RequestParams params, Inventory here) throws JsonRpcException {
        if (params.handshakeVersion() == null) {
            throw JsonRpcException.invalidParams("params.protocolVersion is missing.");
        }
        var result = object().put(
                        "protocolVersion",
                        ProtocolVersion.ofHandshake(params.handshakeVersion()).id());
        result.set("capabilities", capabilities());
        result.set("serverInfo", serverInfo(here));
        return result;
    }

    private static ObjectNode discovery() {
        var result = object();
        ProtocolVersion.ids().forEach(result.putArray("supportedVersions")::add);
        result.set("capabilities", capabilities());
        return result;
    }

    private static ObjectNode capabilities() {
        var capabilities = object();
        capabilities.putObject("tools");
        return capabilities;
    }

    private static ObjectNode serverInfo(Inventory here) {
        return object().put("name", "hexr-sandbox")
                .put("title", "Hexr Sandbox Engine")
                .put("version", here.version());
    }

    private ObjectNode tools(Allowance allowance, Inventory here) {
        var result = object();
        result.putArray("tools").add(tool.definition(allowance, here));
        return result;
    }

    private static ObjectNode call(ProtocolVersion version, RequestParams params, CodeRunner runner)
            throws JsonRpcException {
        if (params.name() == null) {
            throw JsonRpcException.invalidParams("params.name is missing.");
        }
        if (!params.name().equals(ExecuteCodeTool.NAME)) {
            throw JsonRpcException.unknownTool(version, params.name());
        }
        try {
            return ToolResult.of(runner.run(params.arguments()));
        } catch (EngineException e) {
            return ToolResult.of(e);
        }
    }

    private static byte[] response(JsonNode id, ObjectNode result) {
        var response = object().put("jsonrpc", "2.0");
        response.set("id", id);
        response.set("result", result);
        return JsonMapper.shared().writeValueAsBytes(response);
    }

    /** Without an id when none could be read; MCP knows no null id. */
    private static byte[] error(@Nullable JsonNode id, JsonRpcException e) {
        var response = object().put("jsonrpc", "2.0");
        if (id != null) {
            response.set("id", id);
        }
        var error = response.putObject("error").put("code", e.code()).put("message", e.detail());
        if (e.data() != null) {
            error.set("data", e.data());
        }
        return JsonMapper.shared().writeValueAsBytes(response);
    }

    private static ObjectNode object() {
        return JsonMapper.shared().createObjectNode();
    }
}
