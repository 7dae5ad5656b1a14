package io.hexr.sandbox.http;

import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** How answers are written: names in snake case, in the order in which the records declare them. */
final class ApiJson {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .build();

    private ApiJson() {}

    static byte[] bytes(Record body) {
        return MAPPER.writeValueAsBytes(body);
    }
}
