package io.hexr.sandbox.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hexr.sandbox.config.ConfigException;
import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import io.hexr.sandbox.exec.ExecutionRequest;
import io.hexr.sandbox.policy.Caller;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Short forms for telling the parser a body and looking at what it says. */
final class Parsing {
    private Parsing() {}

    private static final ExecutionRequestParser PARSER = parser();

    static ExecutionRequestParser parser(String... pairs) {
        try {
            var config = ServerFixture.config(pairs);
            return new ExecutionRequestParser(config.requests(), config.sandboxes());
        } catch (ConfigException e) {
            throw new IllegalArgumentException(e);
        }
    }

    static ExecutionRequest parse(String body) throws EngineException {
        return PARSER.parse(Caller.ANONYMOUS, body.getBytes(StandardCharsets.UTF_8));
    }

    /** A request that is right but for these members. */
    static ExecutionRequest with(String members) throws EngineException {
        return parse("{\"code\":\"c\",\"language\":\"python\"," + members + "}");
    }

    static EngineException refusal(String body) {
        return refusal(body.getBytes(StandardCharsets.UTF_8));
    }

    static EngineException refusal(byte[] body) {
        var refusal = catchThrowableOfType(EngineException.class, () -> PARSER.parse(Caller.ANONYMOUS, body));
        assertThat(refusal).as("refused").isNotNull();
        assertThat(refusal.code().status()).isEqualTo(400);
        assertThat(refusal.detail()).isNotBlank().hasSizeLessThan(300);
        return refusal;
    }

    static EngineException refusalWith(String members) {
        var refusal = refusal("{\"code\":\"c\",\"language\":\"python\"," + members + "}");
        assertThat(refusal.code()).as(refusal.detail()).isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(refusal.field()).isNotBlank();
        assertThat(refusal.legal()).isNotBlank();
        return refusal;
    }

    static String strings(int count) {
        return IntStream.range(0, count).mapToObj(i -> "\"s\"").collect(Collectors.joining(","));
    }

    static String files(String directory, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "{\"path\":\"%s%d\",\"content\":\"\"}".formatted(directory, i))
                .collect(Collectors.joining(","));
    }
}
