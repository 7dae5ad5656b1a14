package io.hexr.sandbox.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.config.ConfigVariables;
import io.hexr.sandbox.exec.ErrorCode;
import io.hexr.sandbox.guest.Language;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The contract in {@code openapi.yaml} and the code say the same. What only a running engine can show is in sdk/python/tests/engine. */
@Timeout(60)
class OpenApiTest {
    private static final Path DOCUMENT = Path.of("src/main/resources/openapi.yaml");
    private static final YAMLMapper YAML = new YAMLMapper();

    private ServerFixture fixture;
    private JsonNode api;

    @BeforeEach
    void start() throws Exception {
        fixture = new ServerFixture();
        api = YAML.readTree(Files.readString(DOCUMENT));
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    @Test
    void itIsServedAsItStandsInTheTreeWithTheVersionOfTheEngine() throws Exception {
        var reply = fixture.exchange("GET /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n");

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.header("Content-Type")).isEqualTo("application/yaml");
        assertThat(reply.body())
                .isEqualTo(Files.readString(DOCUMENT).replaceFirst("(?m)^  version: dev$", "  version: 1.2.3"));
        assertThat(YAML.readTree(reply.body()).at("/info/version").asString()).isEqualTo("1.2.3");
    }

    @Test
    void everyErrorCodeIsListedOnceAndNoOther() {
        assertThat(strings(api.at("/components/schemas/ErrorCode/enum")))
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(ErrorCode.values()).map(ErrorCode::id).toList());
    }

    @Test
    void everyErrorCodeIsDescribedByTheAnswersOfItsStatusAndNoOther() {
        var documented = new TreeMap<String, Integer>();
        for (JsonNode response : api.at("/components/responses").values()) {
            for (String code : codes(response)) {
                assertThat(documented.put(code, status(response)))
                        .as("status of %s elsewhere in the document", code)
                        .isIn(null, status(response));
                assertThat(response.path("description").asString()).contains("`%s`".formatted(code));
            }
        }

        assertThat(documented)
                .containsExactlyInAnyOrderEntriesOf(
                        Arrays.stream(ErrorCode.values()).collect(Collectors.toMap(ErrorCode::id, ErrorCode::status)));
    }

    /** A path or method that does not exist belongs to no operation. */
    @Test
    void everyOtherStatusIsAnAnswerOfExec() {
        var statuses = Arrays.stream(ErrorCode.values())
                .filter(code -> code != ErrorCode.NOT_FOUND && code != ErrorCode.METHOD_NOT_ALLOWED)
                .map(code -> Integer.toString(code.status()))
                .collect(Collectors.toSet());
        statuses.add("200");

        assertThat(api.at("/paths/~1api~1v1~1exec/post/responses").propertyNames())
                .containsExactlyInAnyOrderElementsOf(statuses);
    }

    @Test
    void everyReferenceToAnAnswerStandsUnderItsOwnStatus() {
        for (JsonNode path : api.path("paths").values()) {
            for (JsonNode operation : path.values()) {
                operation.path("responses").properties().stream()
                        .filter(entry -> entry.getValue().has("$ref"))
                        .forEach(entry -> assertThat(status(resolve(entry.getValue())))
                                .as("%s: %s", operation.path("operationId"), entry.getValue())
                                .hasToString(entry.getKey()));
            }
        }
    }

    @Test
    void theExamplesOfErrorsAreThoseOfTheCode() {
        var byId = Arrays.stream(ErrorCode.values()).collect(Collectors.toMap(ErrorCode::id, Function.identity()));
        var examples = api.at("/components/responses").values().stream()
                .flatMap(response -> problem(response).path("examples").values().stream())
                .map(example -> example.path("value"))
                .toList();

        assertThat(examples).isNotEmpty().allSatisfy(example -> {
            var code = Objects.requireNonNull(byId.get(example.path("code").asString()));
            var expected = YAML.readTree(
                    Problem.answer(code, code.status(), example.path("detail").asString())
                            .body());
            for (String name : expected.propertyNames()) {
                assertThat(example.path(name)).as("%s of %s", name, code).isEqualTo(expected.path(name));
            }
        });
    }

    @Test
    void everyPathIsServedAndNoOther() throws Exception {
        String detail = fixture.exchange("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n")
                .json()
                .path("detail")
                .asString();

        assertThat(detail)
                .endsWith("Paths: %s."
                        .formatted(api.path("paths").propertyNames().stream()
                                .sorted()
                                .collect(Collectors.joining(", "))));
    }

    @Test
    void theFieldsOfARequestAreThoseThatTheParserKnows() throws Exception {
        String legal = fixture.exchange(RawClient.post("{\"x\":1}"))
                .json()
                .path("legal")
                .asString();

        assertThat(api.at("/components/schemas/ExecutionRequest/properties").propertyNames())
                .containsExactlyInAnyOrder(legal.split(", "));
    }

    @Test
    void theFieldsOfAResultAreThoseOfAnAnswer() throws Exception {
        assertSameFields(
                "ExecutionResult",
                fixture.exchange(RawClient.post("{\"code\":\"\",\"language\":\"bash\"}"))
                        .json());
    }

    @Test
    void theFieldsOfTheEventsOfAStreamAreThoseThatAreSent() throws Exception {
        String request = "{\"code\":\"x\",\"language\":\"bash\"}";
        try (var client = EventClient.call(fixture.server.port(), request)) {
            var events = client.rest();

            assertSameFields("StreamStart", events.get(0).data());
            assertSameFields("StreamOutput", events.get(1).data());
            assertSameFields("StreamResult", events.get(2).data());
            assertSameFields("Timings", events.get(2).data().path("timings_ms"));
        }
    }

    @Test
    void theFieldsOfHealthAreThoseOfAnAnswer() throws Exception {
        var health = fixture.exchange("GET /health HTTP/1.1\r\nHost: x\r\n\r\n").json();

        assertSameFields("Health", health);
        assertSameFields("Load", health.path("load"));
        assertSameFields("Language", health.at("/languages/0"));
        assertSameFields("Pool", health.path("pool"));
        assertSameFields("PoolLevel", health.at("/pool/languages/0"));
    }

    @Test
    void theLanguagesAreThoseOfTheEngine() {
        assertThat(strings(api.at("/components/schemas/ExecutionRequest/properties/language/enum")))
                .isEqualTo(Language.ids());
        assertThat(strings(api.at("/components/schemas/ExecutionResult/properties/language/enum")))
                .isEqualTo(Language.ids());
    }

    @Test
    void everyDefaultThatIsNamedIsThatOfTheConfiguration() {
        var named = Pattern.compile("`([A-Z_]+)` \\((\\S+)( [A-Za-z]+)? by default")
                .matcher(api.toString().replaceAll("\\s+|\\\\n", " "))
                .results()
                .toList();
        String table = ConfigVariables.markdownTable();

        assertThat(named).hasSizeGreaterThan(10).allSatisfy(match -> {
            String unit = match.group(1).endsWith("_MB") ? "" : Objects.requireNonNullElse(match.group(3), "");
            String value = match.group(2).replace(",", "") + unit.strip();
            assertThat(table).containsPattern("\\| `%s` \\| `?%s[` ]".formatted(match.group(1), value));
        });
    }

    private void assertSameFields(String schema, JsonNode answer) {
        var described = api.at("/components/schemas/" + schema);
        assertThat(described.path("properties").propertyNames()).containsExactlyElementsOf(answer.propertyNames());
        assertThat(strings(described.path("required"))).containsExactlyElementsOf(answer.propertyNames());
    }

    private JsonNode resolve(JsonNode reference) {
        return api.at(reference.path("$ref").asString().substring(1));
    }

    private static JsonNode problem(JsonNode response) {
        return response.at("/content/application~1problem+json");
    }

    private static int status(JsonNode response) {
        return problem(response).at("/schema/allOf/1/properties/status/const").asInt();
    }

    private static Collection<String> codes(JsonNode response) {
        return strings(problem(response).at("/schema/allOf/1/properties/code/enum"));
    }

    private static List<String> strings(JsonNode array) {
        return array.values().stream().map(JsonNode::asString).toList();
    }
}
