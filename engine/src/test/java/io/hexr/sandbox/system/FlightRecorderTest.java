package io.hexr.sandbox.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

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
    void aCallIsInTheRecordingWithItsPhasesAndTheSandboxThatReplacesItsOwn() throws Exception {
        api.awaitFullPool();
        BlockingQueue<RecordedEvent> events = new LinkedBlockingQueue<>();
        try (var recording = new RecordingStream()) {
            recording.setReuse(false);
            for (var names : List.of(OF_A_CALL, OF_A_REFILL)) {
                for (String name : names) {
                    recording.enable("hexr." + name);
                    recording.onEvent("hexr." + name, events::add);
                }
            }
            recording.startAsync();
            var answer = api.exec("bash", "sleep 0.2; exit 3", 20);
            String execution = answer.body().path("execution_id").asString();

            var seen = new ArrayList<RecordedEvent>();
            while (!names(seen, execution).containsAll(OF_A_CALL)) {
                seen.add(next(events, seen));
            }
            // Fewer are to wait as time goes by, so that not every call's sandbox is replaced.
            while (!names(seen).containsAll(OF_A_REFILL)) {
                assertThat(api.exec("bash", ":", 20).exitCode()).isZero();
                for (var event = next(events, seen); event != null; event = events.poll()) {
                    seen.add(event);
                }
            }
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

    private static RecordedEvent next(BlockingQueue<RecordedEvent> events, List<RecordedEvent> seen) throws Exception {
        var event = events.poll(30, TimeUnit.SECONDS);
        assertThat(event).as("events after %s", seen).isNotNull();
        return event;
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
