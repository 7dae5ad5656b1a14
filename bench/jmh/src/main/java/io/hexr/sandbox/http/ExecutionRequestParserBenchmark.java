package io.hexr.sandbox.http;

import io.hexr.sandbox.config.EngineConfig;
import io.hexr.sandbox.config.Machine;
import io.hexr.sandbox.exec.ExecutionRequest;
import io.hexr.sandbox.policy.Caller;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The body of a call: a small one, and one with 64 KiB of files. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ExecutionRequestParserBenchmark {
    private final ExecutionRequestParser parser = parser();
    private final byte[] small = body("");
    private final byte[] withFile =
            body(", \"files\": [{\"path\": \"data.csv\", \"content\": \"%s\"}]".formatted("1,2,3\\n".repeat(8_192)));

    private static ExecutionRequestParser parser() {
        try {
            var config = EngineConfig.load(Map.of(), new Machine(2, 4L << 30));
            return new ExecutionRequestParser(config.requests(), config.sandboxes());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] body(String more) {
        return "{\"code\": \"print(1 + 1)\", \"language\": \"python\", \"timeout\": 30, \"env\": {\"A\": \"b\"}%s}"
                .formatted(more)
                .getBytes(StandardCharsets.UTF_8);
    }

    @Benchmark
    public ExecutionRequest small() throws Exception {
        return parser.parse(Caller.ANONYMOUS, small);
    }

    @Benchmark
    public ExecutionRequest withFile() throws Exception {
        return parser.parse(Caller.ANONYMOUS, withFile);
    }
}
