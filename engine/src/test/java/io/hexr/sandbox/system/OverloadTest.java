package io.hexr.sandbox.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Tag("sandbox")
@Timeout(600)
@ExtendWith(RunningEngine.class)
class OverloadTest {
    private static final int REQUESTS = 500;
    private static final int AT_A_TIME = 50;

    /** The default. */
    private static final Duration QUEUE_TIMEOUT = Duration.ofSeconds(30);

    private final Api api;

    OverloadTest(Api api) {
        this.api = api;
    }

    private record Timed(Api.Answer answer, Duration time) {}

    @Test
    void fiveHundredRequestsFiftyAtATimeEndInARightAnswerOrAnHonest503() throws Exception {
        var atATime = new Semaphore(AT_A_TIME);
        List<Future<Timed>> answers = new ArrayList<>();
        try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < REQUESTS; i++) {
                String code = "echo " + i;
                atATime.acquire();
                Callable<Timed> call = () -> {
                    long begun = System.nanoTime();
                    try {
                        var answer = api.exec("bash", code, 10);
                        return new Timed(answer, Duration.ofNanos(System.nanoTime() - begun));
                    } finally {
                        atATime.release();
                    }
                };
                answers.add(clients.submit(call));
            }
        }
        int right = 0;
        for (int i = 0; i < REQUESTS; i++) {
            var timed = answers.get(i).get();
            var answer = timed.answer();
            if (answer.status() == 503) {
                // The default queue is longer than fifty, so that only a slow machine refuses one, which has waited
                // then.
                assertThat(answer.body().path("code").asString()).isEqualTo("queue_timeout");
                assertThat(timed.time()).isGreaterThanOrEqualTo(QUEUE_TIMEOUT);
                assertThat(answer.raw().headers().firstValue("Retry-After")).isPresent();
            } else {
                assertThat(answer.status()).as(answer.raw().body()).isEqualTo(200);
                assertThat(answer.stdout()).isEqualTo(i + "\n");
                right++;
            }
        }
        assertThat(right).isGreaterThan(REQUESTS / 2);
    }
}
