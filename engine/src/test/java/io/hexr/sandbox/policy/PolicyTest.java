package io.hexr.sandbox.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.identity.CallerIdentity;
import io.hexr.sandbox.identity.SpiffeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(30)
class PolicyTest {
    private static final String POLICY = """
            version: 1
            callers:
              - match: spiffe://example.org/agent/demo
                requests_per_second: 2.5
                concurrent: 3
                run_seconds_per_minute: 60
                max_timeout: 1.5
                max_memory_mb: 128
                languages: [python, bash]
              - match: spiffe://example.org/agent/*
                concurrent: 1
              - match: spiffe://friend.org/*
              - match: anonymous
                languages: []
            """;

    private static CallerIdentity caller(String id) {
        return new CallerIdentity.Verified(SpiffeId.parse(id).orElseThrow());
    }

    @Test
    void theFirstRuleThatMatchesDecides() throws Exception {
        var policy = PolicyReader.read(POLICY);

        var demo = policy.admit(caller("spiffe://example.org/agent/demo"))
                .orElseThrow()
                .allowance();
        assertThat(demo.requestsPerSecond()).isEqualTo(2.5);
        assertThat(demo.concurrent()).isEqualTo(3);
        assertThat(demo.runSecondsPerMinute()).isEqualTo(60);
        assertThat(demo.maxTimeout()).isEqualTo(Duration.ofMillis(1_500));
        assertThat(demo.maxMemoryMb()).isEqualTo(128);
        assertThat(demo.languages()).containsExactlyInAnyOrder(Language.PYTHON, Language.BASH);
        assertThat(policy.admit(caller("spiffe://example.org/agent/demo/deep"))
                        .orElseThrow()
                        .allowance()
                        .concurrent())
                .isEqualTo(1);
        assertThat(policy.admit(caller("spiffe://friend.org/x")).orElseThrow().allowance())
                .isEqualTo(Allowance.UNLIMITED);
        assertThat(policy.admit(CallerIdentity.ANONYMOUS)
                        .orElseThrow()
                        .allowance()
                        .languages())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "spiffe://example.org/agents/x",
        "spiffe://example.org/agent",
        "spiffe://friend.org.evil/x",
        "spiffe://other.org/agent/demo"
    })
    void whomNoRuleMatchesMayNothing(String id) throws Exception {
        assertThat(PolicyReader.read(POLICY).admit(caller(id))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "version              | callers: [{match: anonymous}]",
                "version              | version: 2",
                "callers              | version: 1",
                "callers              | {version: 1, callers: []}",
                "callers[0].match     | {version: 1, callers: [{concurrent: 1}]}",
                "callers[0].match     | {version: 1, callers: [{match: 'spiffe://example.org/agent*'}]}",
                "callers[0].match     | {version: 1, callers: [{match: '*'}]}",
                "callers[0].match     | {version: 1, callers: [{match: 'spiffe://Example.org/*'}]}",
                "callers[1].concurrent| {version: 1, callers: [{match: anonymous}, {match: anonymous, concurrent: 0}]}",
                "callers[0].languages | {version: 1, callers: [{match: anonymous, languages: [ruby]}]}",
                "max_timeout          | {version: 1, callers: [{match: anonymous, max_timeout: -1}]}",
                "max_timeout is 4.0E-4 | {version: 1, callers: [{match: anonymous, max_timeout: 0.0004}]}",
                "max_memory_mb is 15  | {version: 1, callers: [{match: anonymous, max_memory_mb: 15}]}",
                "callers[1].typo is no field; legal are match, | {version: 1, callers: [{match: anonymous}, {match: anonymous, typo: 1}]}",
                "rules is no field    | {version: 1, rules: []}",
                "callers[0].concurrent has a value of the wrong kind | {version: 1, callers: [{match: anonymous, concurrent: 1.5}]}",
                "callers[0] has a value of the wrong kind | {version: 1, callers: [anonymous]}",
                "callers has a value of the wrong kind | {version: 1, callers: {}}",
                "line                 | {version: 1, callers: [{match: anonymous, match: anonymous}]}",
                "line                 | {version: 1, callers: [}"
            })
    void aFileWithAMistakeIsNoPolicyAndTheMistakeIsNamed(String mistake, String text) {
        assertThatThrownBy(() -> PolicyReader.read(text))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(mistake.strip());
    }

    @Test
    void aChangeIsTakenAndABrokenFileIsNot(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("policy.yaml"), POLICY);
        try (var source = PolicySource.open(file)) {
            var first = source.current();
            Files.writeString(file, "version: 1\ncallers: nobody\n");
            Files.writeString(directory.resolve("other"), "an event behind that of the broken file");
            assertThat(source.current()).isEqualTo(first);

            Files.writeString(file, "version: 1\ncallers: [{match: anonymous}]\n");
            long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
            while (source.current().equals(first)) {
                assertThat(System.nanoTime()).as("the change was not seen").isLessThan(deadline);
                Thread.onSpinWait();
            }
            assertThat(source.current().admit(CallerIdentity.ANONYMOUS)).isPresent();
        }
        Files.writeString(file, "{}");
        assertThatThrownBy(() -> PolicySource.open(file))
                .hasMessageContaining("POLICY_FILE")
                .hasMessageContaining("version");
    }

    @Test
    void aFileThatIsNotThereIsNamedWithItsVariable(@TempDir Path directory) {
        for (String absent : new String[] {"policy.yaml", "absent/policy.yaml"}) {
            assertThatThrownBy(() -> PolicySource.open(directory.resolve(absent)))
                    .hasMessageStartingWith("POLICY_FILE " + directory.resolve(absent))
                    .hasMessageContaining("NoSuchFile");
        }
    }
}
