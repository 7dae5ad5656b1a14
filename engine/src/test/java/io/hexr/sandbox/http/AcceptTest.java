package io.hexr.sandbox.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.http.HttpFields;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AcceptTest {
    private static final List<String> OFFERED = List.of("application/json", "text/event-stream");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "application/json | application/json",
                "text/event-stream | text/event-stream",
                "TEXT/Event-Stream | text/event-stream",
                "text/event-stream; charset=utf-8 | text/event-stream",
                "text/* | text/event-stream",
                "application/* | application/json",
                "*/* | application/json",
                "'' | application/json",
                "text/html, */*;q=0.8 | application/json",
                "application/json, text/event-stream | application/json",
                "text/event-stream, application/json | application/json",
                "text/event-stream, application/json;q=0.9 | text/event-stream",
                "application/json;q=0.1, text/event-stream;q=0.2 | text/event-stream",
                "application/json;q=0.001, */*;q=0.002 | text/event-stream",
                "text/event-stream;q=0, */* | application/json",
                "application/json;q=0, */* | text/event-stream",
                "application/json;q=0, application/*;q=0.5 | none",
                "text/event-stream;q=0 | none",
                "text/html | none",
                "application/problem+json | none",
                "text/event-stream;q=1.001 | none",
                "\" | none",
                "application/json;q=\"1 | none",
                "text/event-stream;q=high, application/json;q=0.1 | application/json",
            })
    void theTypeThatIsWantedMostIsTaken(String header, String expected) {
        assertThat(Accept.of(HttpFields.build().add("Accept", header)).best(OFFERED))
                .isEqualTo(Optional.ofNullable(expected));
    }

    @Test
    void whoSaysNothingTakesAnything() {
        assertThat(Accept.of(HttpFields.EMPTY).best(OFFERED)).contains("application/json");
    }

    @Test
    void severalHeadersAreOneList() {
        var headers = HttpFields.build().add("Accept", "text/html").add("Accept", "text/event-stream");
        assertThat(Accept.of(headers).best(OFFERED)).contains("text/event-stream");
    }
}
