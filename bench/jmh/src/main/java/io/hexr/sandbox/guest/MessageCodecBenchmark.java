package io.hexr.sandbox.guest;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
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

/** What a call with little output sends and receives: the codec's part of it. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class MessageCodecBenchmark {
    private static final byte[] PROGRAM = new byte[200];
    private static final byte[] OUTPUT = {'2', '\n'};

    private final byte[] answer = answer();

    private static byte[] answer() {
        var bytes = new ByteArrayOutputStream();
        var writer = new FrameWriter(bytes);
        try {
            writer.write(new Message.Stdout(OUTPUT));
            writer.write(new Message.Exit(
                    false, 0, false, false, false, false, Duration.ofMillis(8), Duration.ofMillis(5), 4 << 20, 2, 0));
            writer.send(new Message.End());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return bytes.toByteArray();
    }

    @Benchmark
    public int writeCall() throws Exception {
        var bytes = new ByteArrayOutputStream();
        var writer = new FrameWriter(bytes);
        writer.write(new Message.Arg("argument"));
        writer.write(new Message.Env("NAME", "value"));
        writer.write(new Message.File("main.py"));
        writer.write(new Message.Data(PROGRAM));
        writer.write(new Message.Start());
        writer.send(new Message.StdinEnd());
        return bytes.size();
    }

    @Benchmark
    public Message readAnswer() throws Exception {
        var reader = new FrameReader(new ByteArrayInputStream(answer), FrameType.Sender.GUEST);
        MessageCodec.decode(reader.read());
        MessageCodec.decode(reader.read());
        return MessageCodec.decode(reader.read());
    }
}
