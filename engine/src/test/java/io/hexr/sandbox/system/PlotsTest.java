package io.hexr.sandbox.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Figures of matplotlib come back as images, shown or saved; there is no display. */
@Tag("sandbox")
@Timeout(120)
@ExtendWith(RunningEngine.class)
class PlotsTest {
    private static final byte[] PNG = {(byte) 0x89, 'P', 'N', 'G'};

    private final Api api;

    PlotsTest(Api api) {
        this.api = api;
    }

    @Test
    void aFigureThatIsShownComesBackOnce() throws Exception {
        assertThat(figuresOf("""
                import matplotlib.pyplot as plt
                plt.plot([1, 4, 9])
                plt.show()
                plt.show()
                """)).containsOnlyKeys("figure-1.png");
    }

    @Test
    void anImageIsOneAlsoWithANameInCapitals() throws Exception {
        assertThat(figuresOf("""
                import matplotlib.pyplot as plt
                plt.plot([1, 4, 9])
                plt.savefig("PLOT.PNG")
                """)).containsOnlyKeys("PLOT.PNG");
    }

    @Test
    void allOpenFiguresAreShownAndThenClosed() throws Exception {
        assertThat(figuresOf("""
                import matplotlib.pyplot as plt
                plt.subplots(2, 2)
                plt.figure().add_subplot().bar(["a", "b"], [3, 5])
                plt.show()
                assert plt.get_fignums() == []
                plt.plot([1, 2])
                plt.show()
                """)).containsOnlyKeys("figure-1.png", "figure-2.png", "figure-3.png");
    }

    @Test
    void whatPandasPlotsIsShown() throws Exception {
        assertThat(figuresOf("""
                import pandas as pd
                import matplotlib.pyplot as plt
                pd.DataFrame({"a": [1, 2, 3], "b": [3, 1, 2]}).plot(kind="bar")
                plt.show()
                """)).containsOnlyKeys("figure-1.png");
    }

    @Test
    void theFileOfAnOpenFigureFollowsIt() throws Exception {
        var figures = figuresOf("""
                import matplotlib.pyplot as plt
                figure, axes = plt.subplots()
                plt.show(block=False)
                first = open("figure-1.png", "rb").read()
                open("before.png", "wb").write(first)
                for y in (1, 4, 9):
                    axes.plot([0, y])
                    plt.pause(0.01)
                figure.show()
                plt.show()
                """);

        assertThat(figures).containsOnlyKeys("before.png", "figure-1.png");
        assertThat(figures.get("figure-1.png")).isNotEqualTo(figures.get("before.png"));
    }

    @Test
    void filesThatAreThereAreNotOverwritten() throws Exception {
        var figures = figuresOf("""
                import os
                import matplotlib.pyplot as plt
                plt.plot([1, 4, 9])
                plt.savefig("figure-1.png")
                saved = open("figure-1.png", "rb").read()
                plt.title("shown")
                os.chdir("/tmp")
                plt.show()
                assert open("/workspace/figure-1.png", "rb").read() == saved
                """);

        assertThat(figures).containsOnlyKeys("figure-1.png", "figure-2.png");
        assertThat(figures.get("figure-2.png")).isNotEqualTo(figures.get("figure-1.png"));
    }

    @Test
    void anotherBackendShowsAsItDoesNatively() throws Exception {
        assertThat(figuresOf("""
                import matplotlib
                matplotlib.use("svg")
                import matplotlib.pyplot as plt
                plt.plot([1, 4, 9])
                plt.show()
                assert matplotlib.get_backend() == "svg" and plt.get_fignums() == [1]
                """)).isEmpty();
    }

    @Test
    void aFigureThatCannotBeDrawnLeavesNoFile() throws Exception {
        var answer = api.exec("python", """
                import matplotlib.pyplot as plt
                plt.title(r"$\\frac{1$")
                plt.show()
                """, 20);

        assertThat(answer.exitCode()).isEqualTo(1);
        assertThat(answer.stderr()).contains("ValueError");
        assertThat(answer.body().path("artifacts").size()).isZero();
    }

    /** The images that came back from a program which must succeed without a word. */
    private Map<String, String> figuresOf(String code) throws Exception {
        var answer = api.exec("python", code, 20);
        assertThat(answer.exitCode()).as(answer.raw().body()).isZero();
        assertThat(answer.stdout() + answer.stderr()).isEmpty();
        var figures = new LinkedHashMap<String, String>();
        for (var artifact : answer.body().path("artifacts")) {
            String content = artifact.path("content_base64").asString();
            assertThat(artifact.path("media_type").asString()).isEqualTo("image/png");
            assertThat(Base64.getDecoder().decode(content)).startsWith(PNG);
            figures.put(artifact.path("path").asString(), content);
        }
        return figures;
    }
}
