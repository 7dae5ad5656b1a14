package io.hexr.sandbox.identity;

import io.hexr.sandbox.identity.AuthenticationException.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Reads the header {@code x-forwarded-client-cert} as Envoy 1.40 writes it:
 *
 * <pre>
 * header  = element *("," element)
 * element = key "=" value *(";" key "=" value)
 * value   = quoted string with backslash escapes / characters other than , ; and "
 * </pre>
 *
 * <p>Envoy neither quotes nor escapes URI and DNS, so a certificate with hostile names can write anything into the header, whole elements
 * included. Therefore the parser is strict and its caller stricter: a header that this grammar does not make exactly one element with exactly
 * one URI is refused, whatever its author meant.
 */
final class XfccParser {
    private static final Set<String> KEYS = Set.of("by", "hash", "cert", "chain", "subject", "uri", "dns");

    private final String text;
    private int position;

    private XfccParser(String text) {
        this.text = text;
    }

    static List<XfccElement> parse(String header) throws AuthenticationException {
        return new XfccParser(header).elements();
    }

    private List<XfccElement> elements() throws AuthenticationException {
        var elements = new ArrayList<XfccElement>();
        do {
            elements.add(element());
        } while (take(','));
        if (position < text.length()) {
            throw malformed("after a value");
        }
        return elements;
    }

    private XfccElement element() throws AuthenticationException {
        var values = new HashMap<String, List<String>>();
        do {
            String key = key();
            if (!KEYS.contains(key)) {
                throw malformed("in a key");
            }
            values.computeIfAbsent(key, _ -> new ArrayList<>()).add(take('"') ? quoted() : plain());
        } while (take(';'));
        return new XfccElement(
                values.getOrDefault("by", List.of()),
                values.getOrDefault("hash", List.of()),
                values.getOrDefault("uri", List.of()));
    }

    private String key() throws AuthenticationException {
        int equals = text.indexOf('=', position);
        if (equals < 0) {
            throw malformed("in a key");
        }
        String key = text.substring(position, equals).toLowerCase(Locale.ROOT);
        position = equals + 1;
        return key;
    }

    private String plain() throws AuthenticationException {
        int start = position;
        while (position < text.length() && ",;\"".indexOf(text.charAt(position)) < 0) {
            requirePrintable();
            position++;
        }
        return text.substring(start, position);
    }

    private String quoted() throws AuthenticationException {
        var value = new StringBuilder();
        while (position < text.length()) {
            requirePrintable();
            char c = text.charAt(position++);
            if (c == '"') {
                return value.toString();
            }
            if (c == '\\' && position < text.length()) {
                requirePrintable();
                c = text.charAt(position++);
            }
            value.append(c);
        }
        throw malformed("in a quoted value that does not end");
    }

    private void requirePrintable() throws AuthenticationException {
        char c = text.charAt(position);
        if (c < ' ' || c > '~') {
            throw malformed("in a value that is not ASCII");
        }
    }

    private boolean take(char expected) {
        boolean found = position < text.length() && text.charAt(position) == expected;
        if (found) {
            position++;
        }
        return found;
    }

    private AuthenticationException malformed(String where) {
        return new AuthenticationException(
                Kind.HEADER,
                "The header x-forwarded-client-cert is malformed at character %d, %s.".formatted(position, where));
    }
}
