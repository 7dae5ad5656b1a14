package io.hexr.sandbox.telemetry.trace;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What a caller says of the trace that its call belongs to (W3C Trace Context). It is the caller's word: good for finding the trace, and for nothing else.
 *
 * @param flags those that have a meaning: whether the caller's span is sampled, and whether the trace's id is random
 * @param state for the traces' own systems; passed on as it is, so not checked here
 */
public record TraceContext(String traceId, String parentId, int flags, String state) {
    /** How much of the state must be passed on (section 3.3.1.5); more is more than is kept for every span. */
    static final int MAX_STATE = 512;

    /** Level 2, section 3.2.2.5. */
    private static final int SAMPLED = 1;

    private static final int RANDOM = 2;

    /** Section 3.2.2, and 4 for versions to come, which may say more at the end. */
    private static final Pattern TRACEPARENT =
            Pattern.compile("(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?");

    /**
     * Reads the headers, each with as many values as there were header lines.
     *
     * @return empty when there is no context that one could go by; that is no error (section 3.2)
     */
    public static Optional<TraceContext> parse(List<String> traceparent, List<String> tracestate) {
        if (traceparent.size() != 1) {
            return Optional.empty();
        }
        var matcher = TRACEPARENT.matcher(traceparent.getFirst().strip());
        if (!matcher.matches() || (matcher.group(1).equals("00") && matcher.group(5) != null)) {
            return Optional.empty();
        }
        int flags = Integer.parseInt(matcher.group(4), 16) & (SAMPLED | RANDOM);
        String state = String.join(",", tracestate);
        return Optional.of(
                new TraceContext(matcher.group(2), matcher.group(3), flags, state.length() > MAX_STATE ? "" : state));
    }

    /** As a header of version 00 has it. */
    String traceparent() {
        return "00-%s-%s-%02x".formatted(traceId, parentId, flags);
    }
}
