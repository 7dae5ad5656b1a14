package io.hexr.sandbox.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StreamTest {
    private static final String START =
            "event: start\nid: 1\ndata: {\"execution_id\": \"exec-1\", \"language\": \"python\", \"timeout\": 30, \"memory_mb\": 256}\n\n";
    private static final String RESULT = """
            event: result
            data: {"exit_code": 0, "execution_time_ms": 12, "memory_used_mb": 34, "execution_id": "exec-1", "language": "python", \
            "timed_out": false, "oom_killed": false, "signal": null, "stdout_truncated": false, "stderr_truncated": false, \
            "limit": null, "artifacts_skipped": [], "timings_ms": {"read": 1.5, "queue": 0.5, "pool": 1, "resume": null, "handshake": null, \
            "layout": 1, "run": 12, "destroy": 1, "total": 16}}

            """;
    static final String SHORT_RUN = START + stdout("42\\n") + RESULT;

    private FakeService service;
    private SandboxClient client;

    @BeforeEach
    void open() throws Exception {
        service = new FakeService();
        client = SandboxClient.builder().url(service.url()).build();
    }

    @AfterEach
    void close() {
        client.close();
        service.close();
    }

    private static String stdout(String text) {
        return "event: stdout\ndata: {\"text\": \"%s\"}\n\n".formatted(text);
    }

    private static void write(OutputStream out, String text) throws java.io.IOException {
        out.write(text.getBytes(UTF_8));
        out.flush();
    }

    private ExecutionStream stream() {
        return client.stream(ExecutionRequest.of("x"));
    }

    @Test
    void eventsComeInTheirOrderWithTheResultAsTheLast() {
        service.reply(FakeService.events(
                START + ": heartbeat\n\n" + stdout("a") + "event: stderr\ndata: {\"text\": \"e\"}\n\n" + stdout("b")
                        + "event: of_a_newer_service\ndata: {}\n\n"
                        + "event: artifact\ndata: {\"path\": \"p\", \"media_type\": \"m\", \"size\": 1, \"content_base64\": \"AA==\"}\n\n"
                        + RESULT));
        var timings = new StreamResult.Timings(1.5, 0.5, 1, null, null, 1, 12, 1, 16);
        var result = new StreamResult(
                0, 12, 34, "exec-1", "python", false, false, null, false, false, null, List.of(), timings);

        try (var stream = stream()) {
            assertThat(stream)
                    .containsExactly(
                            new ExecutionEvent.Start("exec-1", "python", 30, 256),
                            new ExecutionEvent.Stdout("a"),
                            new ExecutionEvent.Stderr("e"),
                            new ExecutionEvent.Stdout("b"),
                            new Artifact("p", "m", new byte[] {0}),
                            result);
            assertThat(stream.result().raiseForExit()).isEqualTo(result);
            assertThat(stream.iterator().hasNext()).isFalse();
        }
        assertThat(service.asked().getFirst().headers()).containsEntry("Accept", List.of("text/event-stream"));
    }

    @Test
    void aProgramThatFailedIsAnErrorOnlyWhenAskedFor() {
        service.reply(FakeService.events(START + RESULT.replace("\"exit_code\": 0", "\"exit_code\": 3")));

        try (var stream = stream()) {
            var result = stream.result();
            assertThatThrownBy(result::raiseForExit)
                    .isInstanceOf(ProgramException.class)
                    .hasMessage("the program exited with 3 (exec-1)");
        }
    }

    @Test
    void anEventIsThereBeforeTheNextOneIs() throws Exception {
        var read = new CountDownLatch(1);
        service.reply(FakeService.events(out -> {
            write(out, START + stdout("first"));
            assertThat(read.await(20, TimeUnit.SECONDS)).isTrue();
            write(out, RESULT);
        }));

        try (var stream = stream()) {
            var events = stream.iterator();
            assertThat(events.next()).isInstanceOf(ExecutionEvent.Start.class);
            assertThat(events.next()).isEqualTo(new ExecutionEvent.Stdout("first"));
            read.countDown();
            assertThat(stream.result().ok()).isTrue();
        }
    }

    @Test
    void aStreamThatWasReadToItsEndLeavesItsConnectionToTheNextCall() {
        service.reply(FakeService.events(SHORT_RUN));
        for (int i = 0; i < 3; i++) {
            try (var stream = stream()) {
                assertThat(stream.result().ok()).isTrue();
            }
        }
        assertThat(service.connections()).hasSize(1);
    }

    @Test
    void anErrorInTheStreamIsThrownAtEveryRead() {
        service.reply(
                FakeService.events(
                        START
                                + "event: error\ndata: {\"title\": \"T\", \"status\": 500, \"detail\": \"D.\", \"code\": \"sandbox_failed\", \"retryable\": true}\n\n"));

        try (var stream = stream()) {
            var events = stream.iterator();
            events.next();
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(events::hasNext)
                        .isInstanceOf(ExecutionFailedException.class)
                        .hasFieldOrPropertyWithValue("code", "sandbox_failed");
            }
            assertThatThrownBy(stream::result).isInstanceOf(ExecutionFailedException.class);
        }
        assertThat(service.asked()).hasSize(1);
    }

    @Test
    void anErrorBeforeTheStartIsThatOfAnyCall() {
        service.reply(FakeService.problem(400, "invalid_request"));

        assertThatThrownBy(this::stream).isInstanceOf(InvalidRequestException.class);
    }

    @Test
    void anAnswerThatIsNoStreamIsNone() {
        service.reply(FakeService.json(FakeService.RESULT));

        assertThatThrownBy(this::stream).isInstanceOf(InvalidAnswerException.class);
    }

    @Test
    void aStreamThatEndsBeforeTheResultHasNone() {
        service.reply(FakeService.events(START + stdout("a")));

        try (var stream = stream()) {
            assertThatThrownBy(stream::result).isInstanceOf(UnreachableException.class);
            assertThatThrownBy(stream::result).isInstanceOf(UnreachableException.class);
        }
    }

    @Test
    void aStreamThatSaysWhatItMustNotIsEnded() throws Exception {
        service.reply(FakeService.events(out -> {
            write(out, "event: stdout\ndata: {\"text\": 1}\n\n");
            flood(out, new AtomicLong());
        }));

        try (var stream = stream()) {
            assertThatThrownBy(stream::result).isInstanceOf(InvalidAnswerException.class);
            assertThat(service.sawTheClientLeave()).isTrue();
        }
    }

    @Test
    void closingTheStreamEndsTheRun() throws Exception {
        service.reply(FakeService.events(out -> flood(out, new AtomicLong())));

        var stream = stream();
        stream.iterator().next();
        stream.close();

        assertThat(service.sawTheClientLeave()).isTrue();
        assertThat(stream.iterator().hasNext()).isFalse();
        assertThatThrownBy(stream::result).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closingTheStreamFromAnotherThreadWakesTheReader() throws Exception {
        service.reply(FakeService.events(StreamTest::silent));
        var stream = stream();
        var events = stream.iterator();
        events.next();
        var ended = CompletableFuture.supplyAsync(() -> !events.hasNext());

        stream.close();

        assertThat(ended.get(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void interruptingTheReaderEndsTheRun() throws Exception {
        service.reply(FakeService.events(StreamTest::silent));
        var thrown = new CompletableFuture<Throwable>();
        var waiting = new CountDownLatch(1);
        var reader = Thread.ofVirtual().start(() -> {
            try (var stream = stream()) {
                var events = stream.iterator();
                events.next();
                waiting.countDown();
                events.next();
                thrown.complete(new AssertionError("there is no next event"));
            } catch (CallInterruptedException e) {
                thrown.complete(e);
            }
        });
        assertThat(waiting.await(20, TimeUnit.SECONDS)).isTrue();

        reader.interrupt();

        assertThat(thrown.get(20, TimeUnit.SECONDS)).isInstanceOf(CallInterruptedException.class);
        assertThat(service.sawTheClientLeave()).isTrue();
    }

    @Test
    void aStreamThatDoesNotComeToAnEndEndsAtTheDeadline() throws Exception {
        service.reply(FakeService.events(StreamTest::silent));

        try (var stream = client.stream(ExecutionRequest.of("x").deadline(Duration.ofSeconds(3)))) {
            assertThatThrownBy(stream::result).isInstanceOf(DeadlineExceededException.class);
            assertThat(service.sawTheClientLeave()).isTrue();
        }
    }

    @Test
    void aReaderThatIsSlowSlowsTheServiceDown() throws Exception {
        var written = new AtomicLong();
        service.reply(FakeService.events(out -> flood(out, written)));

        try (var stream = stream()) {
            stream.iterator().next();
            // what is written comes to a stop once the buffers of both sockets and of the client are full
            long before;
            do {
                before = written.get();
                TimeUnit.MILLISECONDS.sleep(500);
            } while (written.get() != before);
            assertThat(before).isLessThan(64L << 20);
        }
    }

    private static void flood(OutputStream out, AtomicLong written) throws java.io.IOException {
        var event = (START + stdout("x".repeat(1_000))).getBytes(UTF_8);
        while (true) {
            out.write(event);
            out.flush();
            written.addAndGet(event.length);
        }
    }

    private static void silent(OutputStream out) throws java.io.IOException, InterruptedException {
        write(out, START);
        while (true) {
            TimeUnit.MILLISECONDS.sleep(100);
            write(out, ": heartbeat\n\n");
        }
    }
}
