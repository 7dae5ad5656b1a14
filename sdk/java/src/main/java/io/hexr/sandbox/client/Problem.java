package io.hexr.sandbox.client;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** An error of the service (RFC 9457), or what stands for one when something else answered. */
record Problem(
        String title,
        int status,
        String detail,
        String code,
        boolean retryable,
        @Nullable String field,
        @Nullable String legal,
        @Nullable String executionId) {

    /**
     * Takes what is there: an error is told also when it is half one.
     *
     * @param status of the answer, which stands also where the body says something else
     */
    static Problem of(int status, JsonNode body) {
        return new Problem(
                body.path("title").asString("HTTP status " + status),
                status,
                body.path("detail")
                        .asString("Something answered with status %d that is not the service.".formatted(status)),
                body.path("code").asString("http_" + status),
                body.path("retryable").asBoolean(false),
                text(body, "field"),
                text(body, "legal"),
                text(body, "execution_id"));
    }

    private static @Nullable String text(JsonNode body, String name) {
        var value = body.path(name);
        return value.isString() ? value.stringValue() : null;
    }

    String text() {
        return "%s [%s]%s%s"
                .formatted(
                        detail,
                        code,
                        legal == null ? "" : " Legal: " + legal,
                        executionId == null ? "" : " (" + executionId + ")");
    }
}
