package downstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hexr.sandbox.client.Artifact;
import io.hexr.sandbox.client.ExecutionEvent;
import io.hexr.sandbox.client.ExecutionRequest;
import io.hexr.sandbox.client.Health;
import io.hexr.sandbox.client.InvalidRequestException;
import io.hexr.sandbox.client.ProgramException;
import io.hexr.sandbox.client.ProgramTimedOutException;
import io.hexr.sandbox.client.SandboxClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The client against a running engine, found by {@code HEXR_SANDBOX_URL}. */
@Tag("engine")
@Timeout(120)
class EngineTest {
    private SandboxClient client;

    @BeforeEach
    void open() {
        client = SandboxClient.create();
    }

    @AfterEach
    void close() {
        client.close();
    }

    @Test
    void everythingAProgramCanBeGivenReachesIt(@TempDir Path directory) throws Exception {
        var local = Files.write(directory.resolve("local.bin"), new byte[256]);
        var result = client.exec(ExecutionRequest.of(
                        "echo \"$1 $GREETING $(cat) $(cat text.txt) $(wc -c < d/local.bin)\"; echo data > out.csv; echo oops >&2; exit 3")
                .language("bash")
                .timeout(Duration.ofMillis(10_500))
                .memoryMb(64)
                .args(List.of("first arg"))
                .env(Map.of("GREETING", "hello"))
                .stdin("wörld 😀")
                .file("text.txt", "from a file")
                .file("d/local.bin", local)
                .artifacts(List.of("*.csv")));

        assertThat(result.stdout()).isEqualTo("first arg hello wörld 😀 from a file 256\n");
        assertThat(result.stderr()).isEqualTo("oops\n");
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.artifacts())
                .extracting(Artifact::path, Artifact::mediaType, Artifact::text)
                .containsExactly(org.assertj.core.groups.Tuple.tuple("out.csv", "text/csv", "data\n"));
        assertThatThrownBy(result::raiseForExit)
                .isInstanceOf(ProgramException.class)
                .hasMessageMatching("the program exited with 3 \\(exec-[0-9a-f]+\\): oops");
    }

    @Test
    void aPlotComesBackAndIsSaved(@TempDir Path directory) throws Exception {
        var result =
                client.exec(ExecutionRequest.of("""
                                import matplotlib.pyplot as plt
                                plt.plot([1, 4, 9])
                                plt.savefig("plots/squares.png")
                                """).file("plots/.keep", "")).raiseForExit();

        var saved = result.artifacts().getFirst().save(directory);

        assertThat(saved).isEqualTo(directory.resolve("plots/squares.png"));
        assertThat(Files.readAllBytes(saved)).startsWith(0x89, 'P', 'N', 'G');
    }

    @Test
    void aProgramThatTimesOutIsAResultAndAnErrorOnlyWhenAskedFor() {
        var result = client.exec(
                ExecutionRequest.of("print('before')\nwhile True: pass").timeout(Duration.ofSeconds(4)));

        assertThat(result.stdout()).isEqualTo("before\n");
        assertThat(result.exitCode()).isEqualTo(124);
        assertThat(result.timedOut()).isTrue();
        assertThat(result.limit()).isEqualTo("time");
        assertThatThrownBy(result::raiseForExit).isInstanceOf(ProgramTimedOutException.class);
    }

    @Test
    void aRefusedRequestNamesTheFieldAndWhatIsLegal() {
        var request = ExecutionRequest.of("x").language("ruby");

        var error = catchThrowableOfType(InvalidRequestException.class, () -> client.exec(request));

        assertThat(error.code()).isEqualTo("invalid_request");
        assertThat(error.field()).isEqualTo("language");
        assertThat(error.legal()).isEqualTo("python, javascript, bash");
    }

    @Test
    void callsRunAtTheSameTime() throws Exception {
        var request = ExecutionRequest.of("sleep 1; echo $1").language("bash");
        var first = client.execAsync(request.args(List.of("1")));
        var second = client.execAsync(request.args(List.of("2")));

        assertThat(first.get(60, TimeUnit.SECONDS).stdout()).isEqualTo("1\n");
        assertThat(second.get(60, TimeUnit.SECONDS).stdout()).isEqualTo("2\n");
    }

    @Test
    void aRunIsToldAsItGoesOn() {
        var request = ExecutionRequest.of("echo out; echo err >&2; echo data > out.csv; exit 3")
                .language("bash")
                .artifacts(List.of("*.csv"));
        try (var run = client.stream(request)) {
            var events = new ArrayList<ExecutionEvent>();
            run.forEach(events::add);

            assertThat(events.getFirst()).isInstanceOf(ExecutionEvent.Start.class);
            assertThat(events).contains(new ExecutionEvent.Stdout("out\n"), new ExecutionEvent.Stderr("err\n"));
            assertThat(events.get(events.size() - 2))
                    .isEqualTo(new Artifact("out.csv", "text/csv", new byte[] {'d', 'a', 't', 'a', '\n'}));
            assertThat(events.getLast()).isEqualTo(run.result());
            assertThat(run.result().timingsMs().total()).isPositive();
            assertThatThrownBy(run.result()::raiseForExit).isInstanceOf(ProgramException.class);
        }
    }

    @Test
    void whatIsStreamedIsWhatACompleteAnswerHas() {
        var request = ExecutionRequest.of("seq 100000").language("bash");
        var text = new StringBuilder();
        try (var run = client.stream(request)) {
            for (var event : run) {
                if (event instanceof ExecutionEvent.Stdout(var piece)) {
                    text.append(piece);
                }
            }
        }

        assertThat(text).hasToString(client.exec(request).stdout());
    }

    @Test
    void closingAStreamEndsItsRun() {
        try (var run = client.stream(begunAndLong())) {
            var events = run.iterator();
            assertThat(events.next()).isInstanceOf(ExecutionEvent.Start.class);
            assertThat(events.next()).isEqualTo(new ExecutionEvent.Stdout("begun\n"));
            // not two: a call of another test runs until its sandbox is gone
            assertThat(soon(() -> client.health().load().running() == 1)).isTrue();
        }
        assertThat(nothingRunsSoon())
                .as("the run was ended long before its timeout")
                .isTrue();
    }

    @Test
    void cancellingACallEndsItsRun() {
        assertThat(nothingRunsSoon()).as("calls of other tests are over").isTrue();
        var call = client.execAsync(begunAndLong());
        assertThat(soon(() -> client.health().load().running() == 1)).isTrue();

        call.cancel(true);

        assertThat(nothingRunsSoon())
                .as("the run was ended long before its timeout")
                .isTrue();
    }

    private static ExecutionRequest begunAndLong() {
        return ExecutionRequest.of("echo begun; sleep 300").language("bash").timeout(Duration.ofSeconds(30));
    }

    private boolean nothingRunsSoon() {
        return soon(() -> client.health().load().running() == 0);
    }

    /** Asks the engine over and over, for less time than a program here may run. */
    private static boolean soon(BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                return false;
            }
        }
        return true;
    }

    @Test
    void healthIsThatOfTheEngine() {
        var health = client.health();

        assertThat(health.ok()).isTrue();
        assertThat(health.languages())
                .extracting(Health.Language::language)
                .containsExactly("python", "javascript", "bash");
        assertThat(health.load().capacity()).isPositive();
    }
}
