package io.hexr.sandbox.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.hexr.sandbox.config.EngineConfig;
import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ExecutionRequest;
import io.hexr.sandbox.exec.ExecutionResult;
import io.hexr.sandbox.exec.ExecutionResult.PhaseTimings;
import io.hexr.sandbox.policy.Caller;
import java.time.Duration;
import java.util.List;

/**
 * Does what every call does and needs no sandbox, the reading of a request and the writing of its answer, until the JVM has compiled it: else the
 * first hundreds of calls are interpreted, some tenths of a millisecond each. Nothing of it is a call: nobody counts, records or
 * sees it. It has a thread of its own, because it would not leave a virtual one's carrier, and ends by itself.
 */
public final class Rehearsal {
    /** HotSpot compiles what was called 200 times (Tier3InvocationThreshold), in the background, and once more what is called on. */
    private static final int ROUNDS = 1_000;

    private static final byte[] REQUEST = """
            {"code": "import sys\\nprint(sys.version)\\n", "language": "python", "timeout": 0.1, "memory_mb": 16}""".getBytes(UTF_8);

    private final ExecutionRequestParser parser;

    Rehearsal(ExecutionRequestParser parser) {
        this.parser = parser;
    }

    /** Returns at once. */
    public static void start(EngineConfig config) {
        var rehearsal = new Rehearsal(new ExecutionRequestParser(config.requests(), config.sandboxes()));
        Thread.ofPlatform().daemon().name("rehearsal").start(rehearsal::run);
    }

    void run() {
        for (int round = 0; round < ROUNDS; round++) {
            try {
                answer(parser.parse(Caller.ANONYMOUS, REQUEST));
            } catch (EngineException e) {
                throw new AssertionError("what every configuration allows was refused: " + e.getMessage(), e);
            }
        }
    }

    private static Answer answer(ExecutionRequest request) {
        var moment = Duration.ofNanos(1_234_567);
        var timings = new PhaseTimings(moment, moment, true, moment, moment, moment, moment, moment);
        var result = new ExecutionResult(
                "rehearsal",
                request.language(),
                "3.11\n",
                "",
                0,
                1,
                1.5,
                false,
                false,
                null,
                false,
                false,
                null,
                List.of(),
                List.of(),
                timings);
        return ResultBody.answer(result).with(ServerTiming.HEADER, ServerTiming.of(moment, timings, moment));
    }
}
