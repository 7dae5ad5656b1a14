package io.hexr.sandbox.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The types of this package and the contract of the API have the same fields: neither gets one that the other lacks. */
class ContractTest {
    private final JsonNode schemas;

    ContractTest() throws Exception {
        var contract = Path.of("../../engine/src/main/resources/openapi.yaml");
        schemas = new YAMLMapper().readTree(Files.readString(contract)).at("/components/schemas");
    }

    private List<String> fields(String schema) {
        var properties = schemas.path(schema).path("properties");
        assertThat(properties.isObject())
                .as("openapi.yaml has a schema " + schema)
                .isTrue();
        return List.copyOf(properties.propertyNames());
    }

    private static List<String> fields(Class<?> type) {
        return Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getName)
                .map(ContractTest::snakeCase)
                .toList();
    }

    private static String snakeCase(String name) {
        return name.replaceAll("[A-Z]", "_$0").toLowerCase(Locale.ROOT);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                ExecutionResult.class,
                SkippedArtifact.class,
                InputFile.class,
                Health.class,
                Health.Language.class,
                Health.Load.class,
                Health.Pool.class,
                Health.PoolLevel.class
            })
    void aTypeHasTheFieldsOfItsSchema(Class<?> type) {
        assertThat(fields(type)).isEqualTo(fields(type.getSimpleName()));
    }

    @Test
    void theEventsOfAStreamHaveTheFieldsOfTheirSchemas() {
        assertThat(fields(ExecutionEvent.Start.class)).isEqualTo(fields("StreamStart"));
        assertThat(fields(ExecutionEvent.Stdout.class)).isEqualTo(fields("StreamOutput"));
        assertThat(fields(ExecutionEvent.Stderr.class)).isEqualTo(fields("StreamOutput"));
        assertThat(fields(StreamResult.class)).isEqualTo(fields("StreamResult"));
        assertThat(fields(StreamResult.Timings.class)).isEqualTo(fields("Timings"));
    }

    @Test
    void aRequestHasTheFieldsOfItsSchemaAndADeadlineOfItsOwn() {
        assertThat(fields(ExecutionRequest.class))
                .isEqualTo(Stream.concat(fields("ExecutionRequest").stream(), Stream.of("deadline"))
                        .toList());
    }

    @Test
    void anArtifactHasItsContentAndSizeInItsOwnWay() {
        assertThat(Stream.concat(fields(Artifact.class).stream(), Stream.of("size")))
                .map(name -> name.equals("content") ? "content_base64" : name)
                .containsExactlyInAnyOrderElementsOf(fields("Artifact"));
    }

    @Test
    void anErrorHasTheMembersOfAProblem() {
        var members = Arrays.stream(ServiceException.class.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .map(Method::getName)
                .map(ContractTest::snakeCase);

        // the code is that of every error; `type` says no more than it; Retry-After is a header
        assertThat(Stream.concat(members, Stream.of("code", "type")).filter(name -> !name.equals("retry_after")))
                .containsExactlyInAnyOrderElementsOf(fields("Problem"));
    }

    @Test
    void noCodeOfTheClientMeansSomethingElseToTheService() {
        var service = schemas.at("/ErrorCode/enum").valueStream().map(JsonNode::asString);
        assertThat(service)
                .hasSizeGreaterThan(10)
                .doesNotContain(
                        "invalid_configuration",
                        "unreachable",
                        "deadline_exceeded",
                        "interrupted",
                        "invalid_answer",
                        "program_failed",
                        "program_timed_out",
                        "program_out_of_memory");
    }
}
