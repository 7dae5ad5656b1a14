package io.hexr.sandbox.json;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import java.math.BigDecimal;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;
import tools.jackson.core.json.JsonFactory;

/**
 * A cursor over one JSON text that takes exactly the value it is asked for and says what it found instead. It reads as a stream, so a
 * body full of things that nobody asked for costs nothing: the first of them ends the reading.
 *
 * <p>Every {@code path} names the value to the caller, such as {@code files[2].path}.
 */
public final class StrictJsonReader implements AutoCloseable {
    private static final int SHOWN = 40;

    /** Of what callers send only MCP's capabilities nest by their own rules; nothing here recurses, so this is a bound and no budget. */
    private static final int MAX_DEPTH = 64;

    /**
     * No string or name can be longer than the body, which is bounded. Names come from callers: a table of them that outlives the request
     * would be theirs to fill.
     */
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private final CharBuffer text;
    private final JsonParser parser;

    /** Reads one member of an object, or one element of an array; the cursor is on its value. */
    public interface ValueReader<K> {
        void read(K key) throws EngineException;
    }

    private StrictJsonReader(CharBuffer text) {
        this.text = text;
        this.parser = FACTORY.createParser(
                ObjectReadContext.empty(), text.array(), text.arrayOffset() + text.position(), text.length());
    }

    /**
     * Reads a whole body.
     *
     * @param reading what to do with its one value; syntax errors that turn up in it become {@code invalid_json}
     */
    public static void read(byte[] body, ValueReader<StrictJsonReader> reading) throws EngineException {
        read(Utf8.decode(body), reading);
    }

    /** Reads a whole text, or the part of one that {@link #objectText} gave. */
    public static void read(CharBuffer text, ValueReader<StrictJsonReader> reading) throws EngineException {
        try (var reader = new StrictJsonReader(text)) {
            if (reader.parser.nextToken() == null) {
                throw new EngineException(ErrorCode.INVALID_JSON, "The body is empty; it must be one JSON object.");
            }
            reading.read(reader);
            if (reader.parser.nextToken() != null) {
                throw reader.malformed("After the JSON value there is more", reader.parser.currentTokenLocation());
            }
        } catch (UnexpectedEndOfInputException e) {
            throw new EngineException(
                    ErrorCode.INVALID_JSON, "The body ends in the middle of the JSON value; was it cut off?", e);
        } catch (StreamConstraintsException e) {
            throw new EngineException(
                    ErrorCode.INVALID_JSON,
                    "The body holds a number of too many digits or is nested too deeply" + position(e.getLocation())
                            + ".",
                    e);
        } catch (JacksonException e) {
            throw new EngineException(
                    ErrorCode.INVALID_JSON, "The body stops being JSON" + position(e.getLocation()) + ".", e);
        }
    }

    public void object(String path, String expected, ValueReader<String> members) throws EngineException {
        require(JsonToken.START_OBJECT, path, expected);
        var seen = new HashSet<String>();
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
            if (!seen.add(name)) {
                throw EngineException.invalid(
                        path.isEmpty() ? show(name) : path,
                        "\"%s\" appears twice.".formatted(show(name)),
                        "every name once");
            }
            parser.nextToken();
            members.read(name);
        }
    }

    public void array(String path, String expected, ValueReader<Integer> elements) throws EngineException {
        require(JsonToken.START_ARRAY, path, expected);
        for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
            elements.read(i);
        }
    }

    /** A string that UTF-8 can stand for. */
    public String string(String path, String expected) throws EngineException {
        require(JsonToken.VALUE_STRING, path, expected);
        String value = parser.getString();
        if (Utf8.hasLoneSurrogate(value)) {
            throw EngineException.invalid(
                    path, "%s holds half of a surrogate pair, which is no character.".formatted(path), expected);
        }
        return value;
    }

    public BigDecimal number(String path, String expected) throws EngineException {
        if (!isNumber()) {
            throw wrongType(path, expected);
        }
        try {
            return parser.getDecimalValue();
        } catch (NumberFormatException e) {
            // An exponent beyond what BigDecimal has. Jackson promises InputCoercionException here; 3.3 throws this
            // one.
            throw EngineException.invalid(path, "%s is %s.".formatted(path, show(parser.getString())), expected);
        }
    }

    /** An object as it stands in the text, to be read later; nothing in it is checked but that it is JSON. */
    public CharBuffer objectText(String path, String expected) throws EngineException {
        require(JsonToken.START_OBJECT, path, expected);
        int start = offset(parser.currentTokenLocation());
        parser.skipChildren();
        return text.slice(start, offset(parser.currentLocation()) - start);
    }

    private static int offset(TokenStreamLocation location) {
        return Math.toIntExact(location.getCharOffset());
    }

    /** Passes over a value that does not matter. */
    public void skip() {
        parser.skipChildren();
    }

    public boolean isNumber() {
        return parser.currentToken() == JsonToken.VALUE_NUMBER_INT
                || parser.currentToken() == JsonToken.VALUE_NUMBER_FLOAT;
    }

    private void require(JsonToken token, String path, String expected) throws EngineException {
        if (parser.currentToken() != token) {
            throw wrongType(path, expected);
        }
    }

    private EngineException wrongType(String path, String expected) {
        String found = switch (parser.currentToken()) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "an array";
            case VALUE_STRING -> "a string";
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "a number";
            case VALUE_TRUE, VALUE_FALSE -> "a boolean";
            case VALUE_NULL -> "null";
            case END_OBJECT, END_ARRAY, PROPERTY_NAME, VALUE_EMBEDDED_OBJECT, NOT_AVAILABLE -> "something else";
            case null -> "nothing";
        };
        String subject = path.isEmpty() ? "The body" : path;
        return EngineException.invalid(path, "%s is %s.".formatted(subject, found), expected);
    }

    private EngineException malformed(String what, TokenStreamLocation location) {
        return new EngineException(ErrorCode.INVALID_JSON, what + position(location) + ".");
    }

    private static String position(@Nullable TokenStreamLocation location) {
        return location == null ? "" : " at line %d, column %d".formatted(location.getLineNr(), location.getColumnNr());
    }

    /** A caller's own text in a message to it, cut to a bearable length; half a surrogate pair becomes a question mark. */
    public static String show(String text) {
        String shown = text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
        return new String(shown.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        parser.close();
    }
}
