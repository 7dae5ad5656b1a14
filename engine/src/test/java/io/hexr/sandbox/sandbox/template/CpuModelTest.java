package io.hexr.sandbox.sandbox.template;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CpuModelTest {
    private static final List<String> CPU = List.of(
            "processor\t: 0", "model name\t: A 1", "cpu MHz\t\t: 2400.1", "flags\t\t: fpu avx2", "", "processor\t: 1");

    private static String with(String old, String changed) {
        return CpuModel.of(CPU.stream().map(line -> line.replace(old, changed)).toList());
    }

    @Test
    void aProcessorOfAnotherModelOrWithOtherAbilitiesIsAnotherOne() {
        assertThat(Set.of(CpuModel.of(CPU), with("A 1", "A 2"), with(" avx2", "")))
                .hasSize(3);
    }

    @Test
    void whatChangesFromReadToReadDoesNotMatter() {
        assertThat(with("2400.1", "3100.7")).isEqualTo(CpuModel.of(CPU));
    }

    @Test
    void thisHostHasOne() throws Exception {
        assertThat(CpuModel.ofThisHost()).contains("flags");
    }
}
