package io.hexr.sandbox.sandbox.template;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TemplateKeyTest {
    @Test
    void everyPartAndItsNameChangeTheKey() {
        assertThat(Set.of(
                        TemplateKey.of(Map.of("image", "i", "cpu", "c")),
                        TemplateKey.of(Map.of("image", "j", "cpu", "c")),
                        TemplateKey.of(Map.of("image", "i", "cpu", "d")),
                        TemplateKey.of(Map.of("image", "c", "cpu", "i")),
                        TemplateKey.of(Map.of("image", "i"))))
                .hasSize(5);
    }

    @Test
    void theOrderOfThePartsDoesNotMatter() {
        var one = new LinkedHashMap<>(Map.of("a", "1"));
        one.put("b", "2");
        var other = new LinkedHashMap<>(Map.of("b", "2"));
        other.put("a", "1");

        assertThat(TemplateKey.of(one)).isEqualTo(TemplateKey.of(other)).hasSize(32);
    }
}
