package io.hexr.sandbox.telemetry.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads Prometheus' text format and OpenMetrics, as far as the engine writes them; a line that it cannot read fails the test. */
public record PrometheusText(Map<String, String> types, List<Sample> samples) {
    private static final Pattern SAMPLE =
            Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)})? (-?[0-9.eE+-]+|NaN|[+-]Inf)");
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\.)*)\"(?:,|$)");

    /** One series with its value. */
    public record Sample(String name, Map<String, String> labels, double value) {}

    public static PrometheusText parse(String text) {
        var types = new TreeMap<String, String>();
        var samples = new ArrayList<Sample>();
        text.lines().forEach(line -> {
            if (line.startsWith("# TYPE ")) {
                String[] words = line.split(" ", -1);
                assertThat(types.put(words[2], words[3]))
                        .as("said twice: %s", line)
                        .isNull();
            } else if (!line.startsWith("#")) {
                samples.add(sample(line));
            }
        });
        return new PrometheusText(types, samples);
    }

    private static Sample sample(String line) {
        var matcher = SAMPLE.matcher(line);
        assertThat(matcher.matches()).as("a sample: %s", line).isTrue();
        var labels = new TreeMap<String, String>();
        if (matcher.group(2) != null) {
            var label = LABEL.matcher(matcher.group(2));
            int end = 0;
            while (label.find(end) && label.start() == end) {
                labels.put(label.group(1), label.group(2));
                end = label.end();
                if (end == matcher.group(2).length()) {
                    break;
                }
            }
            assertThat(end).as("labels of %s", line).isEqualTo(matcher.group(2).length());
        }
        return new Sample(
                matcher.group(1), labels, Double.parseDouble(matcher.group(3).replace("Inf", "Infinity")));
    }

    public Stream<Sample> all(String name) {
        return samples.stream().filter(sample -> sample.name().equals(name));
    }

    /** Sum of all series that have these labels, given as name and value in turn; 0 if there is none. */
    public double value(String name, String... labels) {
        return all(name)
                .filter(sample -> {
                    for (int i = 0; i < labels.length; i += 2) {
                        if (!labels[i + 1].equals(sample.labels().get(labels[i]))) {
                            return false;
                        }
                    }
                    return true;
                })
                .mapToDouble(Sample::value)
                .sum();
    }
}
