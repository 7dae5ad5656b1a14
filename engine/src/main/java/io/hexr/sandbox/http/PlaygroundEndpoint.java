package io.hexr.sandbox.http;

import io.hexr.sandbox.policy.Caller;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/**
 * {@code GET /}: the playground, one page that holds all it needs. Its build ({@code playground/build.js}) makes the compressed page and the
 * Content-Security-Policy that names its script and style by their hashes. The page is kept by browsers, but asked for each time: a new engine
 * must not be talked to by an old page.
 */
final class PlaygroundEndpoint implements Endpoint {
    private static final String PAGE = "/playground/page.html.gz";
    private static final String POLICY = "/playground/content-security-policy";

    /** In {@code Accept-Encoding}, with any weight but zero; Jetty's own parser throws at what is malformed. */
    private static final Pattern GZIP =
            Pattern.compile("(?i)(?:^|,)\\s*gzip\\s*(?:;\\s*q=(?:0\\.\\d{0,2}[1-9]\\d*|1(?:\\.0*)?)\\s*)?(?:,|$)");

    private final byte[] compressed;
    private final String tag;
    private final Map<String, String> headers;

    PlaygroundEndpoint(byte[] compressed, String contentSecurityPolicy) {
        this.compressed = compressed;
        this.tag = "\"%s\"".formatted(UUID.nameUUIDFromBytes(compressed));
        this.headers = Map.of(
                "Content-Security-Policy", contentSecurityPolicy,
                "Referrer-Policy", "no-referrer",
                "Cross-Origin-Opener-Policy", "same-origin",
                "Cross-Origin-Resource-Policy", "same-origin",
                "Permissions-Policy", "camera=(), geolocation=(), microphone=()",
                "Cache-Control", "private, no-cache",
                "Vary", "Accept-Encoding",
                // Weak, since it is that of both encodings (RFC 9110, section 8.8.1).
                "ETag", "W/" + tag);
    }

    /** Empty when this engine was built without the page, as Maven alone does: {@code ./dev} adds it. */
    static Optional<PlaygroundEndpoint> ofThisBuild() {
        try (var page = PlaygroundEndpoint.class.getResourceAsStream(PAGE);
                var policy = PlaygroundEndpoint.class.getResourceAsStream(POLICY)) {
            return page == null || policy == null
                    ? Optional.empty()
                    : Optional.of(new PlaygroundEndpoint(
                            page.readAllBytes(), new String(policy.readAllBytes(), StandardCharsets.US_ASCII)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String path() {
        return "/";
    }

    @Override
    public List<String> methods() {
        return List.of("GET", "HEAD");
    }

    @Override
    public Answer handle(Request request, Caller caller, BodyMemory.Reservation memory) {
        if (isKnown(request)) {
            return answer(304, new byte[0]);
        }
        return request.getHeaders().getValuesList(HttpHeader.ACCEPT_ENCODING).stream()
                        .anyMatch(encodings -> GZIP.matcher(encodings).find())
                ? answer(200, compressed).with("Content-Encoding", "gzip")
                : answer(200, decompress());
    }

    /** A tag in its quotes is found in a list of tags only where it stands by itself. */
    private boolean isKnown(Request request) {
        return request.getHeaders().getValuesList(HttpHeader.IF_NONE_MATCH).stream()
                .anyMatch(known -> known.equals("*") || known.contains(tag));
    }

    private Answer answer(int status, byte[] body) {
        return new Answer(status, "text/html; charset=utf-8", body, headers);
    }

    private byte[] decompress() {
        try (var in = new GZIPInputStream(new ByteArrayInputStream(compressed))) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
