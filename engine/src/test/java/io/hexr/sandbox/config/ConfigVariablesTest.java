package io.hexr.sandbox.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ConfigVariablesTest {

    @Test
    void everyFixedDefaultIsLegal() {
        assertThat(ConfigVariables.all()).isNotEmpty().allSatisfy(variable -> {
            if (!variable.computed()) {
                assertThat(variable.kind().read().apply(variable.defaultText()))
                        .as(variable.name())
                        .isPresent();
            }
        });
    }

    @Test
    void everyVariableIsListedOnceInTheTableAndInTheHelp() {
        var names = ConfigVariables.all().stream().map(Variable::name).toList();

        assertThat(names).doesNotHaveDuplicates();
        assertThat(names).allSatisfy(name -> {
            assertThat(ConfigVariables.markdownTable()).containsOnlyOnce("| `" + name + "` |");
            assertThat(ConfigVariables.helpText()).containsOnlyOnce("  " + name + " (");
        });
    }

    @Test
    void theHelpFitsATerminalAndNothingButItsNamesIsNearTheMargin() {
        assertThat(ConfigVariables.helpText().lines())
                .allSatisfy(line -> assertThat(line).hasSizeLessThan(80).matches("  [A-Z_]+ \\(.+\\)|      \\S.*"));
    }

    @Test
    void theTableHasFourColumnsInEveryRow() {
        assertThat(ConfigVariables.markdownTable().lines())
                .allSatisfy(
                        line -> assertThat(line.chars().filter(c -> c == '|')).hasSize(5));
    }

    @Test
    void theReadmeListsThisTable() throws IOException {
        assertThat(Files.readString(Path.of("..", "README.md"))).contains(ConfigVariables.markdownTable());
    }
}
