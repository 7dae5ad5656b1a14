package io.hexr.sandbox.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls that are served by sandboxes which waited for them. */
@Tag("sandbox")
@Timeout(120)
@ExtendWith(RunningEngine.class)
class ReadyCallsTest {
    private final Api api;

    ReadyCallsTest(Api api) {
        this.api = api;
    }

    @BeforeEach
    void sandboxesWait() throws Exception {
        api.awaitFullPool();
    }

    @ParameterizedTest
    @CsvSource({"python, print(7)", "javascript, console.log(7)", "bash, echo 7"})
    void aCallTakesASandboxThatWaitedAndItsAnswerSaysSo(String language, String code) throws Exception {
        var answer = api.exec(language, code, 20);

        assertThat(answer.stdout()).isEqualTo("7\n");
        assertThat(answer.raw().headers().firstValue("Server-Timing").orElse("none"))
                .matches(
                        "read;dur=[\\d.]+, queue;dur=[\\d.]+, pool;desc=hit;dur=[\\d.]+, layout;dur=[\\d.]+, run;dur=[\\d.]+,"
                                + " destroy;dur=[\\d.]+, total;dur=[\\d.]+");
    }

    @Test
    void whenNoneWaitsOneIsResumedForTheCallAndTheAnswerSaysSo() throws Exception {
        String timing;
        int calls = 0;
        do {
            timing = api.exec("bash", "echo 7", 20)
                    .raw()
                    .headers()
                    .firstValue("Server-Timing")
                    .orElse("none");
        } while (timing.contains("desc=hit") && ++calls < 100);

        assertThat(timing).contains("pool;desc=miss;dur=", "resume;dur=", "handshake;dur=");
    }

    @Test
    void aSandboxThatWaitedHasTheMemoryOfItsCallAndNoMore() throws Exception {
        assertThat(hold100Mib(300).stdout()).isEqualTo("104857600\n");
        api.awaitFullPool();
        var tooMuch = hold100Mib(64);
        assertThat(tooMuch.flag("oom_killed")).as(tooMuch.raw().body()).isTrue();
    }

    private Api.Answer hold100Mib(int memoryMb) throws Exception {
        return api.exec(Map.of(
                "language", "python", "timeout", 20, "memory_mb", memoryMb, "code", "print(len(b'x' * (100 << 20)))"));
    }
}
