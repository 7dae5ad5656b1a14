package io.hexr.sandbox.identity;

import java.util.List;
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

/** The header of one call, as Envoy sends it with SANITIZE_SET. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class XfccParserBenchmark {
    private final String header = "By=spiffe://example.org/gateway;"
            + "Hash=19b3f3369ad2c00f3f7000541719471ba8ff9395a0778e2b07ef3b72a761368a;"
            + "Subject=\"CN=a\\\\+b,OU=R=D\\\\;x,O=Acme\\\\, Inc.\";URI=spiffe://example.org/agent/plain";

    @Benchmark
    public List<?> parse() throws Exception {
        return XfccParser.parse(header);
    }
}
