package io.hexr.sandbox.telemetry.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** W3C Trace Context, sections 3 and 4: what is not a context is ignored, whatever it is. */
class TraceContextTest {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String PARENT = "00f067aa0ba902b7";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "00-" + TRACE + "-" + PARENT + "-01",
                " 00-" + TRACE + "-" + PARENT + "-01 ",
                "01-" + TRACE + "-" + PARENT + "-01",
                "cc-" + TRACE + "-" + PARENT + "-01-what-the-future-will-be-like",
                "cc-" + TRACE + "-" + PARENT + "-01-"
            })
    void aContextOfThisAndOfLaterVersionsIsRead(String traceparent) {
        assertThat(TraceContext.parse(List.of(traceparent), List.of()))
                .contains(new TraceContext(TRACE, PARENT, 1, ""));
    }

    @ParameterizedTest
    @CsvSource({"00, 0", "01, 1", "02, 2", "03, 3", "fe, 2", "ff, 3"})
    void onlyFlagsThatHaveAMeaningAreKept(String flags, int kept) {
        assertThat(TraceContext.parse(List.of("00-" + TRACE + "-" + PARENT + "-" + flags), List.of()))
                .contains(new TraceContext(TRACE, PARENT, kept, ""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00",
                "00-" + TRACE + "-" + PARENT,
                "00-" + TRACE + "-" + PARENT + "-1",
                "00-" + TRACE + "-" + PARENT + "-01-more",
                "00-" + TRACE + "-" + PARENT + "-01-",
                "00-" + TRACE + "-" + PARENT + "-0x",
                "ff-" + TRACE + "-" + PARENT + "-01",
                "cc-" + TRACE + "-" + PARENT + "-01.more",
                "0-" + TRACE + "-" + PARENT + "-01",
                "00-00000000000000000000000000000000-" + PARENT + "-01",
                "00-" + TRACE + "-0000000000000000-01",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-" + PARENT + "-01",
                "00-" + TRACE + "0-" + PARENT + "-01",
                "00-" + TRACE + "-" + PARENT + "-01,00-" + TRACE + "-" + PARENT + "-01",
                "00-٤bf92f3577b34da6a3ce929d0e0e473-" + PARENT + "-01",
                "00_" + TRACE + "_" + PARENT + "_01"
            })
    void whatIsNoContextIsIgnored(String traceparent) {
        assertThat(TraceContext.parse(List.of(traceparent), List.of())).isEmpty();
    }

    @Test
    void twoContextsAreNone() {
        String one = "00-" + TRACE + "-" + PARENT + "-01";
        assertThat(TraceContext.parse(List.of(one, one), List.of())).isEmpty();
        assertThat(TraceContext.parse(List.of(), List.of("a=b"))).isEmpty();
    }

    @Test
    void stateOfSeveralLinesIsOneAndTooMuchIsNone() {
        var traceparent = List.of("00-" + TRACE + "-" + PARENT + "-01");
        assertThat(TraceContext.parse(traceparent, List.of("a=1", "b=2"))
                        .orElseThrow()
                        .state())
                .isEqualTo("a=1,b=2");
        assertThat(TraceContext.parse(traceparent, List.of("a=" + "x".repeat(TraceContext.MAX_STATE)))
                        .orElseThrow()
                        .state())
                .isEmpty();
    }

    /** Whatever comes, what is taken over is a context of version 00 and nothing else: it goes into records and headers. */
    @Property
    void whatIsReadIsAlwaysAWholeContext(@ForAll @Size(max = 3) List<@StringLength(max = 80) String> headers) {
        TraceContext.parse(headers, headers)
                .ifPresent(context -> assertThat(context.traceparent()).matches("00-[0-9a-f]{32}-[0-9a-f]{16}-0[0-3]"));
    }

    @Property
    void almostAContextIsReadOrIgnored(
            @ForAll @CharRange(from = '0', to = 'h') @StringLength(min = 30, max = 34) String traceId,
            @ForAll @CharRange(from = '/', to = 'g') @StringLength(min = 16, max = 16) String parentId,
            @ForAll byte flags) {
        String traceparent = "00-%s-%s-%02x".formatted(traceId, parentId, flags);
        boolean legal = traceId.matches("[0-9a-f]{32}")
                && parentId.matches("[0-9a-f]{16}")
                && !traceId.matches("0+")
                && !parentId.matches("0+");
        assertThat(TraceContext.parse(List.of(traceparent), List.of()).isPresent())
                .as(traceparent.toUpperCase(Locale.ROOT))
                .isEqualTo(legal);
    }
}
