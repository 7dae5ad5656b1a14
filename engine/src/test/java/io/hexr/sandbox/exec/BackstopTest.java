package io.hexr.sandbox.exec;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.exec.Backstop.Stage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class BackstopTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(20);

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    private final CountDownLatch killed = new CountDownLatch(1);

    @BeforeEach
    void forgetWhatIsCancelled() {
        timer.setRemoveOnCancelPolicy(true);
    }

    @AfterEach
    void stopTimer() {
        timer.shutdownNow();
    }

    @Test
    void aGuestThatDoesNotTakeItsFilesIsKilled() throws Exception {
        var layout = Backstop.arm(timer, SHORT, LONG, LONG, killed::countDown);
        assertKilledIn(Stage.LAYOUT, layout);
    }

    @Test
    void aProgramThatDoesNotEndIsKilled() throws Exception {
        var run = Backstop.arm(timer, LONG, SHORT, LONG, killed::countDown);
        run.programStarts();
        assertKilledIn(Stage.RUN, run);
    }

    @Test
    void aGuestThatDoesNotComeToAnEndWithItsFilesIsKilled() throws Exception {
        var collect = Backstop.arm(timer, LONG, LONG, SHORT, killed::countDown);
        collect.programStarts();
        collect.programEnded();
        assertKilledIn(Stage.COLLECT, collect);
    }

    @Test
    void aDeadlineThatWasMetIsNoMoreWaitedFor() {
        var met = Backstop.arm(timer, LONG, LONG, LONG, killed::countDown);
        for (Runnable step : List.<Runnable>of(() -> {}, met::programStarts, met::programEnded)) {
            step.run();
            assertThat(timer.getQueue()).hasSize(1);
        }
        met.close();
        assertThat(timer.getQueue()).isEmpty();
        assertThat(met.expired()).isNull();
    }

    private void assertKilledIn(Stage stage, Backstop backstop) throws InterruptedException {
        assertThat(killed.await(20, TimeUnit.SECONDS)).as("killed").isTrue();
        assertThat(backstop.expired()).isEqualTo(stage);
    }
}
