package io.hexr.sandbox.exec;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.exec.ExecutionRequest.InputFile;
import io.hexr.sandbox.guest.Language;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FreshStartTest {
    private final FreshStart freshStart = new FreshStart(Set.of("numpy", "textwrap"));

    @ParameterizedTest
    @CsvSource({
        "PYTHON,PYTHONHASHSEED,true",
        "PYTHON,PYTHONUNBUFFERED,true",
        "PYTHON,LC_ALL,true",
        "PYTHON,OMP_NUM_THREADS,true",
        "PYTHON,LD_PRELOAD,true",
        "PYTHON,NODE_OPTIONS,false",
        "PYTHON,TZ,false",
        "PYTHON,A,false",
        "JAVASCRIPT,NODE_OPTIONS,true",
        "JAVASCRIPT,PYTHONHASHSEED,false",
        "JAVASCRIPT,TZ,false",
        "BASH,PYTHONHASHSEED,false",
    })
    void isNeededWhenTheEnvironmentSetsWhatIsReadAtStart(Language language, String variable, boolean needed) {
        assertThat(freshStart.isNeeded(request(language, Map.of(variable, "1"), List.of())))
                .isEqualTo(needed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"numpy.py", "numpy/__init__.py", "textwrap.py", "numpy.cpython-311-x86_64-linux-gnu.so"})
    void isNeededWhenAFileShadowsAModuleThatIsAlreadyLoaded(String path) {
        assertThat(freshStart.isNeeded(request(Language.PYTHON, Map.of(), List.of(path))))
                .isTrue();
        assertThat(freshStart.isNeeded(request(Language.JAVASCRIPT, Map.of(), List.of(path))))
                .isFalse();
    }

    @Test
    void otherFilesUseTheParkedInterpreter() {
        assertThat(freshStart.isNeeded(
                        request(Language.PYTHON, Map.of(), List.of("data.csv", "lib/numpy.py", "numpyish.py"))))
                .isFalse();
    }

    private static ExecutionRequest request(Language language, Map<String, String> env, List<String> paths) {
        return new ExecutionRequest(
                language,
                "",
                Duration.ofSeconds(1),
                64,
                List.of(),
                env,
                new byte[0],
                paths.stream().map(path -> new InputFile(path, new byte[0])).toList(),
                List.of());
    }
}
