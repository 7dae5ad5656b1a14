package io.hexr.sandbox.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What a recording has of real calls. */
@Tag("sandbox")
@Timeout(120)
@ExtendWith(RunningEngine.class)
class FlightRecorderTest {
    private static final List<String> OF_A_CALL = List.of("Execution", "Queue", "Pool", "Layout", "Run", "Destroy");
    private static final List<String> OF_A_REFILL = List.of("Refill", "Resume", "Handshake");

    private final Api api;

    FlightRecorderTest(Api api) {
        this.api = api;
    }

    @Test
    void aCallIsInTheRecordingWithItsPhasesAndTheSandboxThatReplacesItsOwn(@TempDir Path directory) throws Exception {
        api.awaitFullPool();
        BlockingQueue<String> names = new LinkedBlockingQueue<>();
        try (var recording = new RecordingStream()) {
            for (var ofOne : List.of(OF_A_CALL, OF_A_REFILL)) {
                for (String name : ofOne) {
                    recording.enable("hexr." + name);
                    recording.onEvent("hexr." + name, event -> names.add(shortName(event)));
                }
            }
            recording.startAsync();
            String execution = api.exec("bash", "sleep 0.2; exit 3", 20)
                    .body()
                    .path("execution_id")
                    .asString();

            var told = new HashSet<String>();
            while (!told.containsAll(OF_A_CALL)) {
                take(names, told);
            }
            // Fewer are to wait as time goes by, so that not every call's sandbox is replaced.
            while (!told.containsAll(OF_A_REFILL)) {
                assertThat(api.exec("bash", ":", 20).exitCode()).isZero();
                take(names, told);
            }
            var seen = recorded(recording, directory.resolve("recording.jfr"));
            assertThat(names(seen, execution)).containsAll(OF_A_CALL);
            assertThat(one(seen, "Execution", execution).getString("outcome")).isEqualTo("ok");
            assertThat(one(seen, "Execution", execution).getInt("exitCode")).isEqualTo(3);
            assertThat(one(seen, "Execution", execution).getLong("peakMemory")).isPositive();
            assertThat(one(seen, "Run", execution).getString("language")).isEqualTo("bash");
            assertThat(one(seen, "Run", execution).getDuration()).isGreaterThan(Duration.ofMillis(200));
            assertThat(one(seen, "Destroy", execution).getStartTime())
                    .isAfterOrEqualTo(one(seen, "Run", execution).getEndTime());
            assertThat(seen)
                    .filteredOn(event -> OF_A_REFILL.contains(shortName(event)))
                    .allSatisfy(event -> assertThat(event.getString("sandbox")).isNotNull());
        }
    }

    private static void take(BlockingQueue<String> names, Set<String> told) throws Exception {
        String name = names.poll(30, TimeUnit.SECONDS);
        assertThat(name).as("an event after %s", told).isNotNull();
        told.add(name);
        names.drainTo(told);
    }

    /** From a file: a stream may show a text that is kept apart from its event as "N/A" when it is read before the text is written. */
    private static List<RecordedEvent> recorded(RecordingStream recording, Path file) throws IOException {
        recording.dump(file);
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith("hexr."))
                .toList();
    }

    private static Set<String> names(List<RecordedEvent> events) {
        return events.stream().map(FlightRecorderTest::shortName).collect(Collectors.toSet());
    }

    private static Set<String> names(List<RecordedEvent> events, String execution) {
        return names(events.stream().filter(event -> isOf(event, execution)).toList());
    }

    private static boolean isOf(RecordedEvent event, String execution) {
        return event.hasField("execution") && execution.equals(event.getString("execution"));
    }

    private static String shortName(RecordedEvent event) {
        return event.getEventType().getName().substring("hexr.".length());
    }

    private static RecordedEvent one(List<RecordedEvent> events, String name, String execution) {
        var found = events.stream()
                .filter(event -> isOf(event, execution) && shortName(event).equals(name))
                .toList();
        assertThat(found).as("%s of %s", name, execution).hasSize(1);
        return found.getFirst();
    }
}
