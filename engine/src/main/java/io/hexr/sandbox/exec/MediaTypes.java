package io.hexr.sandbox.exec;

import java.net.URLConnection;
import java.util.Locale;
import java.util.Map;

/** Media types by file name: what came out of a sandbox is labelled by what it claims to be, never by looking into it. */
final class MediaTypes {
    /** What the JDK's table lacks or what differs between JDKs. */
    private static final Map<String, String> BY_SUFFIX = Map.of(
            "svg", "image/svg+xml",
            "webp", "image/webp",
            "csv", "text/csv",
            "json", "application/json",
            "md", "text/markdown",
            "parquet", "application/vnd.apache.parquet");

    private MediaTypes() {}

    static String of(String path) {
        String suffix = path.substring(path.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        String known = BY_SUFFIX.get(suffix);
        if (known != null) {
            return known;
        }
        String guessed = URLConnection.guessContentTypeFromName(path);
        return guessed != null ? guessed : "application/octet-stream";
    }
}
