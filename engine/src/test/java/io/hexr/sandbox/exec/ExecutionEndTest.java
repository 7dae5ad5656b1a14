package io.hexr.sandbox.exec;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Calls that the shutdown, a cancellation or an interrupt ends or meets. */
class ExecutionEndTest extends FakeExecutions {
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
