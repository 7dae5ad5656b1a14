package io.hexr.sandbox.http;

import java.util.LinkedHashMap;
import java.util.Map;

/** A complete answer, before it is sent. */
record Answer(int status, String mediaType, byte[] body, Map<String, String> headers) implements Reply {

    static Answer json(int status, Record body) {
        return new Answer(status, "application/json", ApiJson.bytes(body), Map.of());
    }

    Answer with(String name, String value) {
        var more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Answer(status, mediaType, body, more);
    }

    Answer with(Map<String, String> others) {
        var more = new LinkedHashMap<>(headers);
        more.putAll(others);
        return new Answer(status, mediaType, body, more);
    }
}
