package io.hexr.sandbox.identity;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SpiffeIdTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "spiffe://example.org/agent/demo",
                "spiffe://example.org/a",
                "spiffe://a/b",
                "spiffe://1.2.3.4/x",
                "spiffe://trust_domain-1/A.b_C-9/...",
                "spiffe://example.org/ns/staging/sa/default",
                "spiffe://example.org/.hidden/..x"
            })
    void aLegalIdIsReadAndWrittenUnchanged(String text) {
        assertThat(SpiffeId.parse(text)).hasValueSatisfying(id -> assertThat(id).hasToString(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "spiffe://",
                "spiffe:///path",
                "spiffe://example.org",
                "spiffe://example.org/",
                "spiffe://example.org/a/",
                "spiffe://example.org//a",
                "spiffe://example.org/a//b",
                "spiffe://example.org/.",
                "spiffe://example.org/..",
                "spiffe://example.org/a/./b",
                "spiffe://example.org/a/../b",
                "spiffe://Example.org/a",
                "SPIFFE://example.org/a",
                "spiffe://example.org:8080/a",
                "spiffe://user@example.org/a",
                "spiffe://[::1]/a",
                "spiffe://example.org/a?b",
                "spiffe://example.org/a#b",
                "spiffe://example.org/%61",
                "spiffe://example.org/a b",
                "spiffe://example.org/a,b",
                "spiffe://example.org/a;b",
                "spiffe://example.org/a\n",
                "spiffe://example.org/\u00e4",
                "spiffe://ex\u0430mple.org/a",
                " spiffe://example.org/a",
                "https://example.org/a",
                "example.org/a"
            })
    void whatTheSpecificationForbidsIsRefused(String text) {
        assertThat(SpiffeId.parse(text)).isEmpty();
    }

    @Test
    void theLongestLegalIdHas2048CharactersAndADomainOf255() {
        String prefix = "spiffe://example.org/";
        assertThat(SpiffeId.parse(prefix + "a".repeat(2_048 - prefix.length()))).isPresent();
        assertThat(SpiffeId.parse(prefix + "a".repeat(2_049 - prefix.length()))).isEmpty();
        assertThat(SpiffeId.parse("spiffe://" + "d".repeat(255) + "/a")).isPresent();
        assertThat(SpiffeId.parse("spiffe://" + "d".repeat(256) + "/a")).isEmpty();
    }

    @Property
    void anyTextIsRefusedOrStaysAsItIs(@ForAll @StringLength(max = 60) @CharRange(from = ' ', to = '~') String path) {
        String text = "spiffe://example.org/" + path;
        SpiffeId.parse(text).ifPresent(id -> {
            assertThat(id).hasToString(text);
            assertThat(path).matches("[A-Za-z0-9._/-]+").doesNotEndWith("/").doesNotContain("//");
        });
    }
}
