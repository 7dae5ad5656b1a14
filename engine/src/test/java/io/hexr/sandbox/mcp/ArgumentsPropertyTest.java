package io.hexr.sandbox.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Arguments are cut out of a message by their place in its text, so every text around and in them is tried. */
class ArgumentsPropertyTest {

    @Property(tries = 300)
    void theToolGetsItsArgumentsAsTheyStoodInTheMessage(
            @ForAll("objects") JsonNode arguments, @ForAll("objects") JsonNode other, @ForAll boolean first) {
        var conversation = new Conversation();
        String name = "\"name\" : \"execute_code\"";
        String members = first ? "%1$s,\t\"arguments\":%2$s\n" : "\"arguments\" :\r\n %2$s , %1$s";
        String body =
                "\uFEFF {\"x\":%s, \"params\":{%s, \"y\":%s} , \"id\":1,\"method\":\"tools/call\",\"jsonrpc\":\"2.0\"} "
                        .formatted(other, members.formatted(name, arguments), other);

        var heard = conversation.say(Conversation.NO_HEADERS, body.getBytes(UTF_8));

        assertThat(heard.status()).as(body).isEqualTo(200);
        assertThat(conversation.arguments).isEqualTo(arguments.toString());
    }

    @Provide
    Arbitrary<JsonNode> objects() {
        var mapper = JsonMapper.shared();
        var names = Arbitraries.strings().excludeChars('\u0000').ofMaxLength(8).filter(name -> !hasSurrogate(name));
        var leaves = Arbitraries.oneOf(
                names.map(mapper::<JsonNode>valueToTree),
                Arbitraries.doubles().map(mapper::<JsonNode>valueToTree),
                Arbitraries.of(true, false).map(mapper::<JsonNode>valueToTree));
        var lists = leaves.list().ofMaxSize(3).map(mapper::<JsonNode>valueToTree);
        return Arbitraries.maps(names, Arbitraries.oneOf(leaves, lists))
                .ofMaxSize(4)
                .map(mapper::<JsonNode>valueToTree);
    }

    private static boolean hasSurrogate(String text) {
        return text.chars().anyMatch(c -> Character.isSurrogate((char) c));
    }
}
