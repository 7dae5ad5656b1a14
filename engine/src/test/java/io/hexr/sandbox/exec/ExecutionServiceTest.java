package io.hexr.sandbox.exec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hexr.sandbox.config.EngineConfig;
import io.hexr.sandbox.config.Machine;
import io.hexr.sandbox.exec.ExecutionRequest.InputFile;
import io.hexr.sandbox.guest.FakeGuest.Manners;
import io.hexr.sandbox.guest.FakeProcess;
import io.hexr.sandbox.guest.GuestRun;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.identity.CallerIdentity;
import io.hexr.sandbox.policy.Allowance;
import io.hexr.sandbox.policy.Caller;
import io.hexr.sandbox.pool.Pools;
import io.hexr.sandbox.pool.ReadyLimits;
import io.hexr.sandbox.pool.SandboxPool;
import io.hexr.sandbox.sandbox.FakeBackend;
import io.hexr.sandbox.sandbox.HostLimits;
import io.hexr.sandbox.sandbox.HostUsage;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Executions against a fake backend, which speaks the real protocol; the code of a call names what its program does. */
@Timeout(60)
class ExecutionServiceTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Caller ONE_AT_ONCE = new Caller(
            CallerIdentity.ANONYMOUS,
            new Allowance(
                    Allowance.UNLIMITED.requestsPerSecond(),
                    1,
                    Allowance.UNLIMITED.runSecondsPerMinute(),
                    LONG,
                    1_000,
                    EnumSet.allOf(Language.class)));

    private final FakeBackend backend = new FakeBackend(this::play);
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final CountDownLatch running = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private ReadyLimits ready = Pools.NONE_WAITS;
    private SandboxPool pool;
    private ExecutionService service;

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

    private void start(Map<String, String> variables) throws Exception {
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

    @Test
    void aRunGivesTheProgramsOutputAndExitCode() throws Exception {
        var result = execute(request("hello", LONG));
        assertThat(result.stdout()).isEqualTo("hello");
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.executionId()).startsWith("exec-");
    }

    @Test
    void aListenerHearsTheIdThenTheOutputThatTheResultHas() throws Exception {
        var heard = new ArrayList<String>();
        var result = service.execute(
                request("both", LONG),
                new ExecutionListener() {
                    @Override
                    public void started(String executionId) {
                        heard.add(executionId);
                    }

                    @Override
                    public void stdout(byte[] bytes) {
                        heard.add("out:" + new String(bytes, UTF_8));
                    }

                    @Override
                    public void stderr(byte[] bytes) {
                        heard.add("err:" + new String(bytes, UTF_8));
                    }
                },
                new Cancellation());
        assertThat(heard).containsExactly(result.executionId(), "out:one", "err:two", "out:three");
        assertThat(result.stdout()).isEqualTo("onethree");
        assertThat(result.stderr()).isEqualTo("two");
    }

    @Test
    void variablesReachTheProgramInTheCallersOrder() throws Exception {
        var env = new LinkedHashMap<String, String>();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            names.add("V" + i);
            env.put("V" + i, "");
        }
        var request = new ExecutionRequest(
                Caller.ANONYMOUS, Language.BASH, "env", LONG, 64, List.of(), env, new byte[0], List.of(), List.of());
        assertThat(execute(request).stdout()).isEqualTo(String.join(",", names));
    }

    @Test
    void aGuestThatMissesItsDeadlineIsKilledByTheHostAndItsOutputIsKept() throws Exception {
        var result = execute(request("hang", Duration.ofSeconds(1)));
        assertThat(result.timedOut()).isTrue();
        assertThat(result.exitCode()).isEqualTo(124);
        assertThat(result.executionTimeMs()).isEqualTo(1_000);
        assertThat(result.stdout()).isEqualTo("before");
    }

    @Test
    void aProgramWhoseFilesCouldNotBeWrittenInTimeIsAFailureAndNoTimeout() throws Exception {
        start(Map.of("MAX_EXECUTION_TIME", "300ms"));
        backend.expect(Manners.DEAF);
        var moreThanASocketHolds = new InputFile("big", new byte[4 << 20]);
        var request = new ExecutionRequest(
                Caller.ANONYMOUS,
                Language.BASH,
                "hello",
                Duration.ofMillis(1),
                64,
                List.of(),
                Map.of(),
                new byte[0],
                List.of(moreThanASocketHolds),
                List.of());
        var failure = failure(request);
        assertThat(failure.code()).isEqualTo(ErrorCode.SANDBOX_FAILED);
        assertThat(failure.detail()).contains("was not run");
    }

    @Test
    void aGuestThatDiesForNoKnownReasonIsAFailureThatNamesTheExecution() {
        var failure = failure(request("crash", LONG));
        assertThat(failure.code()).isEqualTo(ErrorCode.SANDBOX_FAILED);
        assertThat(failure.executionId()).startsWith("exec-");
    }

    @Test
    void aGuestThatDiesOfItsMemoryLimitIsAResultWithThePartialOutput() throws Exception {
        backend.count(new HostUsage(64 << 20, true, false, null));
        var result = execute(request("crash", LONG));
        assertThat(result.oomKilled()).isTrue();
        assertThat(result.exitCode()).isEqualTo(137);
        assertThat(result.stdout()).isEqualTo("before");
    }

    @Test
    void aGuestThatBreaksTheProtocolEndsItsOwnCallOnly() throws Exception {
        assertThat(failure(request("forge", LONG)).code()).isEqualTo(ErrorCode.SANDBOX_VIOLATION);
        assertThat(execute(request("hello", LONG)).exitCode()).isEqualTo(3);
    }

    @Test
    void aHostThatGivesNoSandboxSaysThatTheCodeWasNotRun() throws Exception {
        backend.failResume(Code.RESUME_FAILED);
        backend.failResume(Code.RESUME_FAILED);
        var failed = failure(request("hello", LONG));
        assertThat(failed.code()).isEqualTo(ErrorCode.SANDBOX_FAILED);
        assertThat(failed.detail()).contains("was not run");

        backend.failResume(Code.HOST_RESOURCE);
        backend.failResume(Code.HOST_RESOURCE);
        var unavailable = failure(request("hello", LONG));
        assertThat(unavailable.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(unavailable.retryAfter()).isPositive();
        assertThat(unavailable.detail()).doesNotContain("as the test asked");

        assertThat(execute(request("hello", LONG)).exitCode()).isEqualTo(3);
    }

    @Test
    void aPermitGoesBackOnlyWhenItsSandboxIsGone() throws Exception {
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<ExecutionResult>> results = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                results.add(callers.submit(() -> execute(request("hello", LONG))));
            }
            for (var result : results) {
                assertThat(result.get().exitCode()).isEqualTo(3);
            }
        }
        assertThat(backend.mostLive()).isEqualTo(1);
    }

    @Test
    void aSandboxThatWaitedRunsTheCallWithTheLimitsOfTheCall() throws Exception {
        ready = Pools.limits(1);
        start(Map.of());
        Pools.await(pool, levels -> levels.ready(Language.BASH) == 1);

        var result = execute(request("hello", LONG));

        assertThat(result.timings().waited()).isTrue();
        assertThat(backend.limitsGiven()).contains(new HostLimits(64 << 20, 1.0, 128, HostLimits.Priority.NORMAL));
    }

    @Test
    void theAnswerDoesNotWaitForTheSandboxToGoButThePermitDoes() throws Exception {
        var mayGo = backend.holdCloses();

        assertThat(execute(request("hello", LONG)).exitCode()).isEqualTo(3);

        assertThat(service.running()).isEqualTo(1);
        assertThat(service.drain(Duration.ofMillis(10))).isFalse();
        mayGo.countDown();
    }

    @Test
    void aCallerWithOneCallAtOnceMayCallAgainAsSoonAsItIsAnswered() throws Exception {
        start(Map.of("MAX_CONCURRENT", "2"));
        var mayGo = backend.holdCloses();
        var one = request(ONE_AT_ONCE, "hello", LONG);

        execute(one);

        assertThat(service.quotas(one.caller()).getFirst().remaining()).isEqualTo(1);
        assertThat(execute(one).exitCode()).isEqualTo(3);
        mayGo.countDown();
    }

    @Test
    void aDrainLetsARunningCallEndAndAdmitsNoOther() throws Exception {
        start(Map.of("MAX_CONCURRENT", "1", "QUEUE_LENGTH", "0"));
        var call = async(() -> execute(request("wait", LONG)));
        running.await();
        var drained = async(() -> service.drain(LONG));
        while (failure(request("hello", Duration.ofMillis(1))).code() != ErrorCode.DRAINING) {
            Thread.onSpinWait();
        }
        assertThat(drained).isNotDone();
        mayEnd.countDown();
        assertThat(call.get(20, TimeUnit.SECONDS).exitCode()).isZero();
        assertThat(drained.get(20, TimeUnit.SECONDS)).isTrue();
    }

    /** A program that used all of its time must not lose what it made: the guest begins to look for that only then. */
    @Test
    void filesThatTheRunMadeHaveATimeOfTheirOwnToComeBack() throws Exception {
        var all = request("file", Duration.ofMillis(1));
        var withFiles = new ExecutionRequest(
                all.caller(),
                all.language(),
                all.code(),
                all.timeout(),
                all.memoryMb(),
                all.args(),
                all.env(),
                all.stdin(),
                all.files(),
                List.of("*.png"));
        var _ = timer.schedule(mayEnd::countDown, 2_500, TimeUnit.MILLISECONDS); // more than the host's grace

        assertThat(execute(withFiles).artifacts()).hasSize(1);
    }

    @Test
    void aCallThatTheShutdownEndsIsToldSo() throws Exception {
        var call = async(() -> failure(request("hang", LONG)));
        running.await();
        assertThat(service.drain(Duration.ofMillis(10))).isFalse();
        backend.close();
        var failure = call.orTimeout(20, TimeUnit.SECONDS).join();
        assertThat(failure.code()).isEqualTo(ErrorCode.DRAINING);
        assertThat(failure.retryAfter()).isPositive();

        assertThat(failure(request("hello", LONG)).retryAfter()).isPositive();
    }

    @Test
    void aCallThatIsCancelledWhileItsProgramRunsEndsAtOnceAndSaysSo() throws Exception {
        var cancellation = new Cancellation();
        var call = async(() -> failure(request("hang", LONG), cancellation));
        running.await();
        cancellation.cancel();
        var failure = call.get(10, TimeUnit.SECONDS);
        assertThat(failure.code()).isEqualTo(ErrorCode.CANCELLED);
        assertThat(failure.executionId()).startsWith("exec-");
    }

    @Test
    void aCallThatIsCancelledInTheQueueOrBeforeRunsNothing() throws Exception {
        var first = async(() -> execute(request("wait", LONG)));
        running.await();
        var cancellation = new Cancellation();
        var queued = async(() -> failure(request("no such program", LONG), cancellation));
        while (service.waiting() == 0) {
            Thread.onSpinWait();
        }
        cancellation.cancel();
        assertThat(queued.get(10, TimeUnit.SECONDS).code()).isEqualTo(ErrorCode.CANCELLED);
        assertThat(service.waiting()).isZero();
        mayEnd.countDown();
        assertThat(first.get(10, TimeUnit.SECONDS).exitCode()).isZero();

        assertThat(failure(request("no such program", LONG), cancellation).code())
                .isEqualTo(ErrorCode.CANCELLED);
    }

    @Test
    void aCallerThatIsInterruptedLeavesNothingBehind() throws Exception {
        var ended = new CompletableFuture<EngineException>();
        var caller = Thread.ofVirtual().start(() -> ended.complete(failure(request("hang", LONG))));
        running.await();
        caller.interrupt();
        assertThat(ended.get(20, TimeUnit.SECONDS).code()).isEqualTo(ErrorCode.SANDBOX_FAILED);
    }

    private static ExecutionRequest request(String code, Duration timeout) {
        return request(Caller.ANONYMOUS, code, timeout);
    }

    private static ExecutionRequest request(Caller caller, String code, Duration timeout) {
        return new ExecutionRequest(
                caller, Language.BASH, code, timeout, 64, List.of(), Map.of(), new byte[0], List.of(), List.of());
    }

    private ExecutionResult execute(ExecutionRequest request) throws EngineException {
        return service.execute(request, ExecutionListener.NONE, new Cancellation());
    }

    private EngineException failure(ExecutionRequest request) {
        return failure(request, new Cancellation());
    }

    private EngineException failure(ExecutionRequest request, Cancellation cancellation) {
        return catchThrowableOfType(
                EngineException.class, () -> service.execute(request, ExecutionListener.NONE, cancellation));
    }

    /** Not on the common pool: on a small machine it has one thread, and what runs here blocks. */
    private static <T> CompletableFuture<T> async(Callable<T> action) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return action.call();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                },
                Thread::startVirtualThread);
    }
}
