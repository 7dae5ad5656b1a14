package io.hexr.sandbox.system;

import static org.assertj.core.api.Assertions.assertThat;

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

    private final Api api;

    OverloadTest(Api api) {
        this.api = api;
    }

    @Test
    void fiveHundredRequestsFiftyAtATimeEndInARightAnswerOrAnHonest503() throws Exception {
        var atATime = new Semaphore(AT_A_TIME);
        List<Future<Api.Answer>> answers = new ArrayList<>();
        try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < REQUESTS; i++) {
                String code = "echo " + i;
                atATime.acquire();
                Callable<Api.Answer> call = () -> {
                    try {
                        return api.exec("bash", code, 10);
                    } finally {
                        atATime.release();
                    }
                };
                answers.add(clients.submit(call));
            }
        }
        int right = 0;
        for (int i = 0; i < REQUESTS; i++) {
            var answer = answers.get(i).get();
            if (answer.status() == 503) {
                assertThat(answer.body().path("code").asString()).isIn("queue_full", "queue_timeout");
                assertThat(answer.raw().headers().firstValue("Retry-After")).isPresent();
            } else {
                assertThat(answer.status()).as(answer.raw().body()).isEqualTo(200);
                assertThat(answer.stdout()).isEqualTo(i + "\n");
                right++;
            }
        }
        // The default queue is longer than fifty, so that this load is slow but not refused.
        assertThat(right).isEqualTo(REQUESTS);
    }
}
