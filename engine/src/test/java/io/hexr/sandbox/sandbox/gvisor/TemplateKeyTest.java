package io.hexr.sandbox.sandbox.gvisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TemplateKeyTest {
    private static final List<String> CPU = List.of(
            "processor\t: 0", "model name\t: A 1", "cpu MHz\t\t: 2400.1", "flags\t\t: fpu avx2", "", "processor\t: 1");

    private static String key(String image, String runsc, List<String> cpu, String spec, int variant) {
        return TemplateKey.of(image, runsc, cpu, spec, variant);
    }

    @Test
    void everythingThatGoesIntoATemplateChangesItsKey() {
        List<String> otherModel =
                CPU.stream().map(line -> line.replace("A 1", "A 2")).toList();
        List<String> otherFlags =
                CPU.stream().map(line -> line.replace(" avx2", "")).toList();

        assertThat(Set.of(
                        key("i", "r", CPU, "s", 0),
                        key("j", "r", CPU, "s", 0),
                        key("i", "q", CPU, "s", 0),
                        key("i", "r", otherModel, "s", 0),
                        key("i", "r", otherFlags, "s", 0),
                        key("i", "r", CPU, "t", 0),
                        key("i", "r", CPU, "s", 1)))
                .hasSize(7);
    }

    @Test
    void whatChangesFromReadToReadDoesNot() {
        List<String> faster =
                CPU.stream().map(line -> line.replace("2400.1", "3100.7")).toList();

        assertThat(key("i", "r", faster, "s", 0)).isEqualTo(key("i", "r", CPU, "s", 0));
    }
}
