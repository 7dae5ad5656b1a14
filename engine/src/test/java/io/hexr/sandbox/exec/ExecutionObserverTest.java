package io.hexr.sandbox.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hexr.sandbox.config.EngineConfig;
import io.hexr.sandbox.config.Machine;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.policy.Caller;
import io.hexr.sandbox.pool.Pools;
import io.hexr.sandbox.pool.SandboxPool;
import io.hexr.sandbox.sandbox.FakeBackend;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What observers of executions are told; against a fake backend, whose program ends with 3. */
@Timeout(60)
class ExecutionObserverTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    private final FakeBackend backend = new FakeBackend((run, process) -> process.exit(3));
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final RecordingObserver observer = new RecordingObserver();
    private SandboxPool pool;
    private ExecutionService service;

    @BeforeEach
    void start() throws Exception {
        pool = SandboxPool.open(backend, Map.of(), LONG, LONG, Pools.NONE_WAITS, timer, List.of());
        service = service(observer);
    }

    private ExecutionService service(ExecutionObserver... observers) throws Exception {
        var config = EngineConfig.load(Map.of(), new Machine(2, 4L << 30));
        return new ExecutionService(pool, config, timer, List.of(observers));
    }

    @AfterEach
    void stop() throws Exception {
        assertThat(service.drain(LONG)).as("every permit came back").isTrue();
        pool.close();
        timer.shutdownNow();
    }

    @Test
    void anObserverIsToldEveryStepInOrder() throws Exception {
        execute();
        assertThat(observer.untilDestroyed())
                .containsExactly("begun", "admitted", "taken", "started", "stopped", "ended", "destroyed");
    }

    @Test
    void anObserverIsToldWhyThereIsNoResult() throws Exception {
        backend.failResume(Code.RESUME_FAILED);
        backend.failResume(Code.RESUME_FAILED);
        failure();
        assertThat(observer.untilDestroyed())
                .containsExactly("begun", "admitted", "failed sandbox_failed", "destroyed");
    }

    @Test
    void anObserverIsToldOfACallThatTheJvmCannotDo() throws Exception {
        backend.failResume(new StackOverflowError("as the test asked"));
        assertThatThrownBy(this::execute).isInstanceOf(StackOverflowError.class);
        assertThat(observer.untilDestroyed()).containsExactly("begun", "admitted", "failed internal", "destroyed");
    }

    @Test
    void anObserverIsToldOfACallThatIsNotAdmitted() throws Exception {
        service.drain(LONG);
        failure();
        assertThat(observer.untilDestroyed()).containsExactly("begun", "failed draining", "destroyed");
    }

    @Test
    void nothingRunsOnlyWhenObserversHaveBeenToldEverything() throws Exception {
        execute();
        service.drain(LONG);
        assertThat(observer.events).contains("destroyed");
    }

    @Test
    void anObserverWithADefectChangesNothing() throws Exception {
        service = service(new Defective(), observer);
        assertThat(execute().exitCode()).isEqualTo(3);
        assertThat(observer.untilDestroyed()).contains("admitted", "ended");
    }

    private ExecutionResult execute() throws EngineException {
        var request = new ExecutionRequest(
                Caller.ANONYMOUS, Language.BASH, "", LONG, 64, List.of(), Map.of(), new byte[0], List.of(), List.of());
        return service.execute(request, ExecutionListener.NONE, new Cancellation());
    }

    private EngineException failure() {
        return catchThrowableOfType(EngineException.class, this::execute);
    }

    /** Writes down what it is told. */
    private static final class RecordingObserver implements ExecutionObserver {
        private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

        List<String> untilDestroyed() throws InterruptedException {
            List<String> seen = new ArrayList<>();
            while (!seen.contains("destroyed")) {
                String event = events.poll(20, TimeUnit.SECONDS);
                assertThat(event).as("what comes after %s", seen).isNotNull();
                seen.add(event);
            }
            return seen;
        }

        @Override
        public Execution begun(String id, ExecutionRequest request) {
            events.add("begun");
            return new Execution() {
                @Override
                public void admitted() {
                    events.add("admitted");
                }

                @Override
                public void taken(boolean waited, Duration age, Duration resume, Duration handshake) {
                    events.add("taken");
                }

                @Override
                public void started() {
                    events.add("started");
                }

                @Override
                public void stopped() {
                    events.add("stopped");
                }

                @Override
                public void ended(ExecutionResult result) {
                    events.add("ended");
                }

                @Override
                public void failed(EngineException why) {
                    events.add("failed " + why.code().id());
                }

                @Override
                public void destroyed() {
                    events.add("destroyed");
                }
            };
        }
    }

    private static final class Defective implements ExecutionObserver {
        @Override
        public Execution begun(String id, ExecutionRequest request) {
            return new Execution() {
                @Override
                public void admitted() {
                    throw new IllegalStateException("as the test asked");
                }
            };
        }
    }
}
