package io.hexr.sandbox.exec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.exec.ExecutionRequest.InputFile;
import io.hexr.sandbox.guest.FakeGuest.Manners;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.identity.CallerIdentity;
import io.hexr.sandbox.policy.Allowance;
import io.hexr.sandbox.policy.Caller;
import io.hexr.sandbox.pool.Pools;
import io.hexr.sandbox.sandbox.HostLimits;
import io.hexr.sandbox.sandbox.HostUsage;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a call gives and takes. */
class ExecutionServiceTest extends FakeExecutions {
    private static final Caller ONE_AT_ONCE = new Caller(
            CallerIdentity.ANONYMOUS,
            new Allowance(
                    Allowance.UNLIMITED.requestsPerSecond(),
                    1,
                    Allowance.UNLIMITED.runSecondsPerMinute(),
                    LONG,
                    1_000,
                    EnumSet.allOf(Language.class)));

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

    /** A program that used all of its time must not lose what it made: the guest begins to look for that only then. */
    @Test
    void filesThatTheRunMadeHaveATimeOfTheirOwnToComeBack() throws Exception {
        var withFiles = new ExecutionRequest(
                Caller.ANONYMOUS,
                Language.BASH,
                "file",
                Duration.ofMillis(1),
                64,
                List.of(),
                Map.of(),
                new byte[0],
                List.of(),
                List.of("*.png"));
        var _ = timer.schedule(mayEnd::countDown, 2_500, TimeUnit.MILLISECONDS); // more than the host's grace

        assertThat(execute(withFiles).artifacts()).hasSize(1);
    }
}
