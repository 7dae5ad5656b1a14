package io.hexr.sandbox.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.params.provider.Arguments;

/** Headers as a real Envoy sent them, with the identity that each proves. */
final class XfccSamples {
    private XfccSamples() {}

    static List<Arguments> all() throws IOException {
        try (var in = XfccSamples.class.getResourceAsStream("xfcc-samples.tsv")) {
            return new String(in.readAllBytes(), UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split("\t", 3))
                    .map(columns -> Arguments.of(columns[0], columns[1], columns[2]))
                    .toList();
        }
    }
}
