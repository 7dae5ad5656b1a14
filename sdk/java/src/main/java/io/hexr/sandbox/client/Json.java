package io.hexr.sandbox.client;

import java.io.InputStream;
import java.util.function.Supplier;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.type.LogicalType;

/**
 * The service's JSON. Fields that are not known are those of a newer service and ignored; whatever is missing or of another type makes the answer invalid, since a result
 * is never guessed.
 */
final class Json {
    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    // output and artifacts are single strings; how long they may be is for BoundedBody and EventReader
                    // to say
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxStringLength(Integer.MAX_VALUE)
                            .build())
                    .build())
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DateTimeFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .withCoercionConfig(
                    LogicalType.Textual,
                    strings -> strings.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                            .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                            .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
            .build();

    private Json() {}

    static byte[] write(Object value) {
        return MAPPER.writeValueAsBytes(value);
    }

    static <T> T read(InputStream json, Class<T> type) throws InvalidAnswerException {
        return convert(object(json), type);
    }

    static ObjectNode object(InputStream json) throws InvalidAnswerException {
        return object(() -> MAPPER.readTree(json));
    }

    static ObjectNode object(String json) throws InvalidAnswerException {
        return object(() -> MAPPER.readTree(json));
    }

    private static ObjectNode object(Supplier<JsonNode> parse) throws InvalidAnswerException {
        try {
            if (parse.get() instanceof ObjectNode object) {
                return object;
            }
        } catch (JacksonException e) {
            throw new InvalidAnswerException(
                    "the answer is not JSON (%s); does the URL lead to a Sandbox Engine?"
                            .formatted(e.getOriginalMessage()),
                    e);
        }
        throw new InvalidAnswerException("the answer is no JSON object; does the URL lead to a Sandbox Engine?", null);
    }

    static <T> T convert(ObjectNode value, Class<T> type) throws InvalidAnswerException {
        try {
            return MAPPER.treeToValue(value, type);
        } catch (JacksonException e) {
            throw new InvalidAnswerException(
                    "the answer has not the fields that it must have (%s); is the service of another version?"
                            .formatted(e.getOriginalMessage()),
                    e);
        }
    }
}
