package io.hexr.sandbox.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.EngineProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Mixed calls, failures among them, and then a count of what is left: a short form for every change and the long one, {@code ./dev soak}. */
@Timeout(1_800)
class SoakTest {
    private static final int CLIENTS = 4;

    /** Growth that is not a leak: thread stacks, code cache, buffers that the first calls made. */
    private static final long HEAP_SLACK = 24L << 20;

    private static final int DESCRIPTOR_SLACK = 8;

    /** So that what the engine holds for those that wait is the same before and after. */
    private static final Map<String, String> SAME_NUMBER_WAITS = Map.of("READY_POOL_MIN", "2", "READY_POOL_MAX", "2");

    /** A request, and what its answer must have. */
    private record Call(Map<String, ?> request, String stdout, int exitCode, String flag) {}

    private static final List<Call> MIX = List.of(
            new Call(Map.of("language", "python", "code", "print(sum(range(10)))"), "45\n", 0, ""),
            new Call(Map.of("language", "javascript", "code", "console.log(6 * 7)"), "42\n", 0, ""),
            new Call(Map.of("language", "bash", "code", "echo ok; exit 3"), "ok\n", 3, ""),
            new Call(Map.of("language", "python", "code", "import numpy; print(numpy.arange(4).sum())"), "6\n", 0, ""),
            new Call(Map.of("language", "python", "code", "raise SystemExit(9)"), "", 9, ""),
            new Call(Map.of("language", "bash", "code", "sleep 30 & kill -SEGV $$"), "", 139, ""),
            new Call(Map.of("language", "python", "code", "while True: pass", "timeout", 0.5), "", 124, "timed_out"),
            new Call(
                    Map.of("language", "python", "code", "x = bytearray(b'x' * (1 << 30))", "memory_mb", 64),
                    "",
                    137,
                    "oom_killed"),
            new Call(Map.of("language", "javascript", "code", "for (;;);", "timeout", 0.5), "", 124, "timed_out"),
            new Call(
                    Map.of("language", "bash", "code", "yes | head -c 2000000 >&2; echo end"),
                    "end\n",
                    0,
                    "stderr_truncated"));

    @Test
    @Tag("sandbox")
    void mixedCallsLeakNothing() throws Exception {
        soak(60);
    }

    @Test
    @Tag("soak")
    void aThousandMixedCallsLeakNothing() throws Exception {
        soak(1_000);
    }

    private static void soak(int calls) throws Exception {
        try (var engine = EngineProcess.start(SAME_NUMBER_WAITS)) {
            var api = new Api(engine.uri());
            run(api, 20); // the first calls fill caches
            api.awaitRunning(0);
            int waiting = api.awaitFullPool();
            long descriptors = descriptors(engine.pid());
            long heap = liveHeap(engine.pid());

            run(api, calls);

            api.awaitRunning(0);
            assertThat(api.awaitFullPool()).isEqualTo(waiting);
            var traces = HostTraces.of(engine.stateDir());
            assertThat(traces.sandboxes()).as("%s", traces).hasSize(waiting);
            assertThat(descriptors(engine.pid())).isLessThanOrEqualTo(descriptors + DESCRIPTOR_SLACK);
            assertThat(liveHeap(engine.pid())).isLessThan(heap + HEAP_SLACK);
        }
    }

    private static void run(Api api, int calls) throws Exception {
        List<Future<?>> results = new ArrayList<>();
        try (var clients = Executors.newFixedThreadPool(CLIENTS)) {
            for (int i = 0; i < calls; i++) {
                Call call = MIX.get(i % MIX.size());
                Callable<?> job = () -> {
                    check(call, api.exec(call.request));
                    return null;
                };
                results.add(clients.submit(job));
            }
        }
        for (Future<?> result : results) {
            result.get();
        }
    }

    private static void check(Call call, Api.Answer answer) {
        assertThat(answer.status()).as(answer.raw().body()).isEqualTo(200);
        assertThat(answer.exitCode()).as(answer.raw().body()).isEqualTo(call.exitCode);
        assertThat(answer.stdout()).isEqualTo(call.stdout);
        if (!call.flag.isEmpty()) {
            assertThat(answer.flag(call.flag)).as(answer.raw().body()).isTrue();
        }
    }

    private static long descriptors(long pid) throws Exception {
        try (var open = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
            return open.count();
        }
    }

    /** Bytes of the live objects, after a full collection that the histogram itself makes. */
    private static long liveHeap(long pid) throws Exception {
        Path output = Files.createTempFile("histogram", ".txt");
        try {
            var jcmd = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "jcmd")
                                    .toString(),
                            Long.toString(pid),
                            "GC.class_histogram")
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            assertThat(jcmd.waitFor(60, TimeUnit.SECONDS)).isTrue();
            String total = Files.readAllLines(output).stream()
                    .filter(line -> line.startsWith("Total"))
                    .findFirst()
                    .orElseThrow();
            return Long.parseLong(total.trim().split("\\s+", 4)[2]);
        } finally {
            Files.deleteIfExists(output);
        }
    }
}
