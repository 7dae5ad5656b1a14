package io.hexr.sandbox.http;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;

/**
 * Which of several media types a client wants (RFC 9110, section 12.5.1). Of the ranges that match a type the most specific counts, so that
 * {@code text/event-stream;q=0, *}{@code /*} takes everything but events.
 */
final class Accept {
    private final List<Range> ranges;

    private Accept(List<Range> ranges) {
        this.ranges = ranges;
    }

    static Accept of(HttpFields headers) {
        try {
            var values = headers.getCSV(HttpHeader.ACCEPT, true);
            return new Accept(values.stream().map(Range::parse).toList());
        } catch (HttpException.RuntimeException | IllegalArgumentException e) {
            // A quote without its other half: what cannot be read allows nothing.
            return new Accept(List.of(new Range("", 0)));
        }
    }

    /** One range of the header; a malformed weight is none. */
    private record Range(String type, double weight) {
        static Range parse(String value) {
            var parameters = new HashMap<String, String>();
            String type =
                    HttpField.getValueParameters(value, parameters).strip().toLowerCase(Locale.ROOT);
            return new Range(type, weight(parameters.get("q")));
        }

        private static double weight(@Nullable String q) {
            return q == null ? 1 : q.matches("0(\\.\\d{0,3})?|1(\\.0{0,3})?") ? Double.parseDouble(q) : 0;
        }

        /** 0 when it does not match, more the more specific it is. */
        int matches(String offered) {
            if (type.equals(offered)) {
                return 3;
            }
            if (type.equals(offered.substring(0, offered.indexOf('/')) + "/*")) {
                return 2;
            }
            return type.equals("*/*") ? 1 : 0;
        }
    }

    /** The one that is wanted most; of several the first. Who says nothing takes anything. */
    Optional<String> best(List<String> offered) {
        String best = null;
        double most = 0;
        for (String type : offered) {
            double weight = weight(type);
            if (weight > most) {
                best = type;
                most = weight;
            }
        }
        return Optional.ofNullable(best);
    }

    private double weight(String offered) {
        if (ranges.isEmpty()) {
            return 1;
        }
        int specific = 0;
        double weight = 0;
        for (Range range : ranges) {
            int match = range.matches(offered);
            if (match > specific) {
                specific = match;
                weight = range.weight();
            }
        }
        return weight;
    }
}
