package io.hexr.sandbox.http;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.hexr.sandbox.config.EngineConfig;
import io.hexr.sandbox.config.Machine;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RehearsalTest {
    @Test
    void everyConfigurationAllowsItsRequest() throws Exception {
        var least = Map.of("MAX_EXECUTION_TIME", "100ms", "MAX_MEMORY_MB", "16", "MAX_CODE_BYTES", "1KiB");
        var config = EngineConfig.load(least, Machine.current());

        var rehearsal = new Rehearsal(new ExecutionRequestParser(config.requests(), config.sandboxes()));

        assertThatCode(rehearsal::run).doesNotThrowAnyException();
    }
}
