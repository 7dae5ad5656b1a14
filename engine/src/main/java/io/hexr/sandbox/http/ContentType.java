package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ErrorCode;
import io.hexr.sandbox.json.StrictJsonReader;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/** What a body says it is. JSON is UTF-8 and nothing else (RFC 8259, section 8.1), and never compressed here. */
final class ContentType {
    private static final String LEGAL = "Send Content-Type: application/json, UTF-8, not compressed.";

    private ContentType() {}

    static void requireJson(HttpFields headers) throws EngineException {
        List<String> types = headers.getValuesList(HttpHeader.CONTENT_TYPE);
        if (types.size() != 1 || types.getFirst().isBlank()) {
            throw unsupported(types.size() > 1 ? "There is more than one Content-Type." : "There is no Content-Type.");
        }
        var parameters = new HashMap<String, String>();
        String type = parse(types.getFirst(), parameters);
        if (!type.equalsIgnoreCase("application/json")) {
            throw unsupported("The body is declared as %s.".formatted(StrictJsonReader.show(type)));
        }
        // One without a value is in the map, with null.
        String charset =
                parameters.containsKey("charset") ? Objects.requireNonNullElse(parameters.get("charset"), "") : "utf-8";
        if (!charset.equalsIgnoreCase("utf-8") && !charset.equalsIgnoreCase("utf8")) {
            throw unsupported("The charset is declared as \"%s\".".formatted(StrictJsonReader.show(charset)));
        }
        requireCoding(headers, HttpHeader.CONTENT_ENCODING, "identity");
        // Jetty takes the chunks apart, and what else is named there it passes over.
        requireCoding(headers, HttpHeader.TRANSFER_ENCODING, "chunked");
    }

    private static String parse(String value, Map<String, String> parameters) throws EngineException {
        try {
            return HttpField.getValueParameters(value, parameters).strip();
        } catch (IllegalArgumentException e) {
            throw unsupported("The Content-Type has a quote without its other half.");
        }
    }

    /** Names of codings are tokens, never quoted. */
    private static void requireCoding(HttpFields headers, HttpHeader name, String legal) throws EngineException {
        for (String coding : String.join(",", headers.getValuesList(name)).split(",", -1)) {
            if (!coding.isBlank() && !coding.strip().equalsIgnoreCase(legal)) {
                throw unsupported("The %s is \"%s\".".formatted(name, StrictJsonReader.show(coding.strip())));
            }
        }
    }

    private static EngineException unsupported(String what) {
        return new EngineException(ErrorCode.UNSUPPORTED_MEDIA_TYPE, what + " " + LEGAL);
    }
}
