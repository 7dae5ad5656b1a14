package io.hexr.sandbox.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.exec.ExecutionResult.Limit;
import io.hexr.sandbox.exec.ExecutionResult.PhaseTimings;
import io.hexr.sandbox.exec.Verdict.Killer;
import io.hexr.sandbox.guest.GuestOutcome.Exited;
import io.hexr.sandbox.guest.GuestOutcome.GuestFailure;
import io.hexr.sandbox.guest.GuestOutcome.Lost;
import io.hexr.sandbox.guest.GuestOutcome.Refused;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.policy.Caller;
import io.hexr.sandbox.sandbox.HostUsage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class VerdictTest {
    private static final HostUsage QUIET = new HostUsage(10 << 20, false, false, null);
    private static final HostUsage OOM = new HostUsage(64 << 20, true, false, null);
    private static final HostUsage CROWDED = new HostUsage(64 << 20, false, true, null);

    static final List<HostUsage> USAGES = List.of(QUIET, OOM, CROWDED);

    private final AtomicInteger reports = new AtomicInteger();
    private final OutputBuffer stdout = new OutputBuffer(100);
    private final OutputBuffer stderr = new OutputBuffer(100);

    @Test
    void theExitCodeIsTheProgramsOwn() {
        var result = verdict(QUIET, Killer.NOBODY).of(exited(false, 7, false, false));
        assertThat(result.exitCode()).isEqualTo(7);
        assertThat(result.signal()).isNull();
        assertThat(result.limit()).isNull();
        assertThat(result.memoryUsedMb()).isEqualTo(10.0);
        assertThat(result.executionTimeMs()).isEqualTo(1234);
    }

    @Test
    void thePeakIsTheGuestsIfItCountsAndNeverMoreThanWasAskedFor() {
        assertThat(peak(30L << 20)).isEqualTo(30.0);
        assertThat(peak(80L << 20)).isEqualTo(64.0);
    }

    private double peak(long guestPeakBytes) {
        return verdict(QUIET, Killer.NOBODY)
                .of(exited(false, 0, false, false, guestPeakBytes))
                .memoryUsedMb();
    }

    @Test
    void memoryThatTheGuestSawRunOutIsTheReasonOfASigkill() {
        var result = verdict(QUIET, Killer.NOBODY).of(exited(true, 9, false, true));
        assertThat(result.exitCode()).isEqualTo(137);
        assertThat(result.oomKilled()).isTrue();
        assertThat(result.limit()).isEqualTo(Limit.MEMORY);
    }

    @Test
    void aSignalDeathIs128PlusItsNumberAndNamed() {
        var result = verdict(QUIET, Killer.NOBODY).of(exited(true, 11, false, false));
        assertThat(result.exitCode()).isEqualTo(139);
        assertThat(result.signal()).isEqualTo("SIGSEGV");
        assertThat(result.limit()).isNull();
    }

    @Test
    void sigkillByTheProgramItselfIsNeitherTimeoutNorOom() {
        var result = verdict(QUIET, Killer.NOBODY).of(exited(true, 9, false, false));
        assertThat(result.exitCode()).isEqualTo(137);
        assertThat(result.oomKilled()).isFalse();
        assertThat(result.timedOut()).isFalse();
        assertThat(result.limit()).isNull();
    }

    @Test
    void aTimeoutIs124() {
        var result = verdict(QUIET, Killer.NOBODY).of(exited(true, 9, true, false));
        assertThat(result.exitCode()).isEqualTo(124);
        assertThat(result.timedOut()).isTrue();
        assertThat(result.limit()).isEqualTo(Limit.TIME);
    }

    @Test
    void anOomKillSeenByTheHostIs137WithOomKilled() {
        var result = verdict(OOM, Killer.NOBODY).of(exited(true, 9, false, false));
        assertThat(result.exitCode()).isEqualTo(137);
        assertThat(result.oomKilled()).isTrue();
        assertThat(result.limit()).isEqualTo(Limit.MEMORY);
    }

    @Test
    void aChildsOomKillIsReportedBesidesTheScriptsOwnExit() {
        var result = verdict(OOM, Killer.NOBODY).of(exited(false, 0, false, false));
        assertThat(result.exitCode()).isZero();
        assertThat(result.oomKilled()).isTrue();
        assertThat(result.limit()).isNull();
    }

    @Test
    void aSandboxLostToTheOomKillerKeepsItsPartialOutput() throws Exception {
        stdout.append(new byte[] {'h', 'i'});
        var result = verdict(OOM, Killer.RUN_DEADLINE).of(new Lost("end of stream"), reports::incrementAndGet);
        assertThat(result.exitCode()).isEqualTo(137);
        assertThat(result.oomKilled()).isTrue();
        assertThat(result.timedOut()).isFalse();
        assertThat(result.stdout()).isEqualTo("hi");
        assertThat(reports).hasValue(0);
    }

    @Test
    void aSandboxKilledByTheHostsDeadlineTimedOut() throws Exception {
        var result = verdict(QUIET, Killer.RUN_DEADLINE).of(new Lost("end of stream"), reports::incrementAndGet);
        assertThat(result.exitCode()).isEqualTo(124);
        assertThat(result.timedOut()).isTrue();
        assertThat(result.executionTimeMs()).isEqualTo(2000);
    }

    @Test
    void aSandboxLostToTheProcessLimitSaysSo() throws Exception {
        var result = verdict(CROWDED, Killer.NOBODY).of(new Lost("end of stream"), reports::incrementAndGet);
        assertThat(result.exitCode()).isEqualTo(137);
        assertThat(result.limit()).isEqualTo(Limit.PROCESSES);
    }

    @Test
    void aSandboxLostForNoKnownReasonIsTheHostsFaultAndNeverAResult() {
        assertThatThrownBy(() -> verdict(QUIET, Killer.NOBODY).of(new Lost("end of stream"), reports::incrementAndGet))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SANDBOX_FAILED));
        assertThat(reports).hasValue(1);
    }

    @Test
    void filesThatDoNotFitAreTheCallersFault() {
        assertThatThrownBy(() -> verdict(QUIET, Killer.NOBODY)
                        .of(new Refused(GuestFailure.WORKSPACE_FULL, "ENOSPC"), 1 << 20, reports::incrementAndGet))
                .isInstanceOfSatisfying(EngineException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
                    assertThat(e.field()).isEqualTo("files");
                });
        assertThat(reports).hasValue(0);
    }

    /** A child that memory killed, or a fork that was refused, ended no program: the shutdown did. */
    @ParameterizedTest
    @FieldSource("USAGES")
    void aSandboxKilledByTheShutdownIsNoFaultOfTheHostAndMayBeTriedElsewhere(HostUsage usage) {
        assertThatThrownBy(
                        () -> verdict(usage, Killer.SHUTDOWN).of(new Lost("end of stream"), reports::incrementAndGet))
                .isInstanceOfSatisfying(EngineException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.DRAINING);
                    assertThat(e.retryAfter()).isPositive();
                });
        assertThat(reports).hasValue(0);
    }

    @ParameterizedTest
    @FieldSource("USAGES")
    void aSandboxKilledForItsCallerIsCancelledWhateverLimitsItMet(HostUsage usage) {
        assertThatThrownBy(() -> verdict(usage, Killer.CALLER).of(new Lost("end of stream"), reports::incrementAndGet))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANCELLED));
        assertThat(reports).hasValue(0);
    }

    @Test
    void anInterpreterThatMemoryKeptFromStartingIsOutOfMemory() throws Exception {
        var result = verdict(OOM, Killer.NOBODY)
                .of(new Refused(GuestFailure.INTERPRETER, "killed"), 1 << 20, reports::incrementAndGet);
        assertThat(result.exitCode()).isEqualTo(137);
        assertThat(result.limit()).isEqualTo(Limit.MEMORY);
        assertThat(reports).hasValue(0);
    }

    @Test
    void aProgramThatNeverStartedDidNotTimeOut() {
        assertThatThrownBy(() ->
                        verdict(QUIET, Killer.LAYOUT_DEADLINE).of(new Lost("end of stream"), reports::incrementAndGet))
                .isInstanceOfSatisfying(EngineException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.SANDBOX_FAILED);
                    assertThat(e.detail()).contains("was not run");
                });
        assertThat(reports).hasValue(1);
    }

    private Verdict verdict(HostUsage usage, Killer killer) {
        var request = new ExecutionRequest(
                Caller.ANONYMOUS,
                Language.BASH,
                "",
                Duration.ofSeconds(2),
                64,
                List.of(),
                Map.of(),
                new byte[0],
                List.of(),
                List.of());
        var timings = new PhaseTimings(
                Duration.ZERO,
                Duration.ZERO,
                true,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ofMillis(1500),
                Duration.ZERO);
        return new Verdict("exec-1", request, stdout, stderr, usage, killer, timings);
    }

    private static Exited exited(boolean signaled, int status, boolean timedOut, boolean outOfMemory) {
        return exited(signaled, status, timedOut, outOfMemory, 0);
    }

    private static Exited exited(
            boolean signaled, int status, boolean timedOut, boolean outOfMemory, long peakMemoryBytes) {
        return new Exited(
                signaled,
                status,
                timedOut,
                outOfMemory,
                false,
                false,
                Duration.ofMillis(1234),
                Duration.ofMillis(1000),
                peakMemoryBytes,
                0,
                0,
                List.of(),
                List.of());
    }
}
