package io.hexr.sandbox.exec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hexr.sandbox.config.EngineConfig;
import io.hexr.sandbox.config.Machine;
import io.hexr.sandbox.guest.FakeProcess;
import io.hexr.sandbox.guest.GuestRun;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.policy.Caller;
import io.hexr.sandbox.pool.Pools;
import io.hexr.sandbox.pool.ReadyLimits;
import io.hexr.sandbox.pool.SandboxPool;
import io.hexr.sandbox.sandbox.FakeBackend;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * Executions against a fake backend, which speaks the real protocol; the code of a call names what its program does. After each test
 * everything that calls take must be back.
 */
@Timeout(60)
abstract class FakeExecutions {
    static final Duration LONG = Duration.ofSeconds(20);

    final FakeBackend backend = new FakeBackend(this::play);
    final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    final CountDownLatch running = new CountDownLatch(1);
    final CountDownLatch mayEnd = new CountDownLatch(1);
    ReadyLimits ready = Pools.NONE_WAITS;
    SandboxPool pool;
    ExecutionService service;

    private void play(GuestRun run, FakeProcess process) throws IOException, InterruptedException {
        switch (new String(run.files().getFirst().content(), UTF_8)) {
            case "hello" -> {
                process.stdout("hello");
                process.exit(3);
            }
            case "both" -> {
                process.stdout("one");
                process.stderr("two");
                process.stdout("three");
                process.exit(0);
            }
            case "env" -> {
                process.stdout(String.join(",", run.env().keySet()));
                process.exit(0);
            }
            case "hang" -> {
                process.stdout("before");
                running.countDown();
                process.hang();
            }
            case "wait" -> {
                running.countDown();
                mayEnd.await();
                process.exit(0);
            }
            case "file" -> {
                process.exit(0);
                mayEnd.await();
                process.artifact("plot.png", new byte[] {1});
            }
            case "crash" -> process.stdout("before");
            case "forge" -> process.raw(new byte[] {(byte) 0x85, 0, 0, 0, 0});
            default -> throw new AssertionError("no such program");
        }
    }

    @BeforeEach
    void start() throws Exception {
        start(Map.of("MAX_CONCURRENT", "1", "QUEUE_LENGTH", "100"));
    }

    final void start(Map<String, String> variables) throws Exception {
        pool = SandboxPool.open(backend, Map.of(), LONG, LONG, ready, timer, List.of());
        var config = EngineConfig.load(variables, new Machine(2, 4L << 30));
        service = new ExecutionService(pool, config, timer, List.of());
    }

    @AfterEach
    void everythingWasGivenBack() throws Exception {
        assertThat(service.drain(LONG)).as("every permit came back").isTrue();
        pool.close();
        timer.shutdownNow();
        assertThat(backend.liveIds()).isEmpty();
        assertThat(service.running()).isZero();
        assertThat(service.waiting()).isZero();
    }

    static ExecutionRequest request(String code, Duration timeout) {
        return request(Caller.ANONYMOUS, code, timeout);
    }

    static ExecutionRequest request(Caller caller, String code, Duration timeout) {
        return new ExecutionRequest(
                caller, Language.BASH, code, timeout, 64, List.of(), Map.of(), new byte[0], List.of(), List.of());
    }

    ExecutionResult execute(ExecutionRequest request) throws EngineException {
        return service.execute(request, ExecutionListener.NONE, new Cancellation());
    }

    EngineException failure(ExecutionRequest request) {
        return failure(request, new Cancellation());
    }

    EngineException failure(ExecutionRequest request, Cancellation cancellation) {
        return catchThrowableOfType(
                EngineException.class, () -> service.execute(request, ExecutionListener.NONE, cancellation));
    }
}
