package io.hexr.sandbox.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The official Java client of MCP lists and calls the tool. What all clients see is in sdk/python/tests/engine/test_mcp.py. */
@Tag("sandbox")
@Timeout(60)
@ExtendWith(RunningEngine.class)
class McpClientTest {
    private final McpSyncClient client;

    McpClientTest(RunningEngine.Address address) {
        var transport = HttpClientStreamableHttpTransport.builder(address.uri().toString())
                .endpoint("/mcp")
                .build();
        client =
                McpClient.sync(transport).requestTimeout(Duration.ofSeconds(30)).build();
    }

    @BeforeEach
    void connect() {
        client.initialize();
    }

    @AfterEach
    void disconnect() {
        client.closeGracefully();
    }

    @Test
    void itAgreesOnTheNewestRevisionItKnows() {
        assertThat(client.getCurrentInitializationResult().protocolVersion()).isEqualTo("2025-11-25");
        assertThat(client.getServerInfo().name()).isEqualTo("hexr-sandbox");
    }

    @Test
    void itListsTheTool() {
        var tools = client.listTools().tools();

        assertThat(tools).hasSize(1);
        assertThat(tools.getFirst().name()).isEqualTo("execute_code");
        assertThat(tools.getFirst().outputSchema()).isNotEmpty();
    }

    @Test
    void itCallsTheTool() {
        var result = client.callTool(CallToolRequest.builder("execute_code")
                .arguments(Map.of("code", "print(6 * 7)", "language", "python"))
                .build());

        assertThat(result.isError()).isFalse();
        assertThat(((TextContent) result.content().getFirst()).text()).contains("stdout:\n42");
        assertThat(result.structuredContent()).asInstanceOf(MAP).containsEntry("stdout", "42\n");
    }

    @Test
    void itSeesThatAProgramFailed() {
        var result = client.callTool(CallToolRequest.builder("execute_code")
                .arguments(Map.of("code", "exit 3", "language", "bash"))
                .build());

        assertThat(result.isError()).isTrue();
        assertThat(((TextContent) result.content().getFirst()).text()).contains("Exit code 3");
    }
}
