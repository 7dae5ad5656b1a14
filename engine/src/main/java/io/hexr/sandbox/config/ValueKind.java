package io.hexr.sandbox.config;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a variable may hold: the legal values in words, and the reading of one.
 *
 * @param legal completes the sentence "must be …"
 * @param read the value, or empty if the text is none
 */
record ValueKind<T>(String legal, Function<String, Optional<T>> read) {

    private static final Pattern DURATION_PART = Pattern.compile("(\\d{1,12}(?:\\.\\d{1,9})?)(ms|s|m|h)");
    private static final Pattern SECONDS = Pattern.compile("\\d{1,12}(?:\\.\\d{1,9})?");
    private static final Pattern BYTES = Pattern.compile("(\\d{1,15})(KiB|MiB|GiB)?");
    private static final Pattern INTEGER = Pattern.compile("\\d{1,9}");
    private static final Pattern DECIMAL = Pattern.compile("\\d{1,9}(?:\\.\\d{1,9})?");

    private static final Pattern ORIGIN = Pattern.compile("https?://[^:/?#@,\\s]+(?::\\d{1,5})?");
    private static final Pattern ENDPOINT = Pattern.compile("unix:(?://)?(/(?!/)[^?#]+)");

    static ValueKind<Integer> integer(int min, int max) {
        return new ValueKind<>(
                "an integer from %d to %d".formatted(min, max),
                text -> matching(INTEGER, text)
                        .map(m -> Integer.parseInt(m.group()))
                        .filter(n -> n >= min && n <= max));
    }

    static ValueKind<Integer> bytes(int min, int max) {
        return new ValueKind<>(
                "a size from %s to %s, such as 65536, 64KiB or 1MiB".formatted(describeBytes(min), describeBytes(max)),
                text -> matching(BYTES, text)
                        .map(ValueKind::countBytes)
                        .filter(n -> n >= min && n <= max)
                        .map(Long::intValue));
    }

    static ValueKind<Double> decimal(double min, double max) {
        return new ValueKind<>(
                "a number from %s to %s".formatted(min, max),
                text -> matching(DECIMAL, text)
                        .map(m -> Double.parseDouble(m.group()))
                        .filter(n -> n >= min && n <= max));
    }

    static ValueKind<Duration> duration(Duration min, Duration max) {
        return new ValueKind<>(
                "a duration from %s to %s, such as 500ms, 30s, 1m30s or plain seconds"
                        .formatted(describe(min), describe(max)),
                text -> readDuration(text).filter(d -> d.compareTo(min) >= 0 && d.compareTo(max) <= 0));
    }

    static ValueKind<Boolean> bool() {
        return new ValueKind<>("true or false", text -> switch (text) {
            case "true" -> Optional.of(true);
            case "false" -> Optional.of(false);
            default -> Optional.empty();
        });
    }

    static <E extends Enum<E>> ValueKind<E> oneOf(Class<E> type) {
        var constants = type.getEnumConstants();
        return new ValueKind<>(
                Arrays.stream(constants).map(ValueKind::spell).collect(Collectors.joining(", ")),
                text -> Arrays.stream(constants)
                        .filter(constant -> spell(constant).equals(text))
                        .findFirst());
    }

    static ValueKind<Path> absolutePath() {
        return new ValueKind<>("an absolute path", text -> {
            try {
                return Optional.of(Path.of(text)).filter(Path::isAbsolute).map(Path::normalize);
            } catch (InvalidPathException e) {
                return Optional.empty();
            }
        });
    }

    /** One or more of a kind. */
    static <T> ValueKind<List<T>> list(String legal, Function<String, Optional<T>> read) {
        return new ValueKind<>("a list with commas, each " + legal, text -> {
            var values = Arrays.stream(text.split(",", -1))
                    .map(part -> read.apply(part.strip()))
                    .toList();
            return values.stream().allMatch(Optional::isPresent)
                    ? Optional.of(values.stream().flatMap(Optional::stream).toList())
                    : Optional.empty();
        });
    }

    /** As browsers write it (RFC 6454, section 6.2): no path, not even a slash. */
    static Optional<String> origin(String text) {
        return matching(ORIGIN, text).map(Matcher::group);
    }

    /** The form of SPIFFE Workload Endpoint, section 4, and the same without slashes; a TCP endpoint would prove nothing about its clients. */
    static ValueKind<Path> endpointSocket() {
        return new ValueKind<>("a unix socket, such as unix:///run/spire/agent.sock", text -> {
            var matcher = ENDPOINT.matcher(text);
            return matcher.matches() ? absolutePath().read().apply(matcher.group(1)) : Optional.empty();
        });
    }

    /** Of a collector: what follows a path would be cut off or end up in the wrong place. */
    static ValueKind<URI> httpUrl() {
        return new ValueKind<>(
                "an http or https URL without user, query and fragment, such as http://collector:4318", text -> {
                    try {
                        var uri = new URI(text);
                        boolean http =
                                "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
                        boolean plain = uri.getRawUserInfo() == null
                                && uri.getRawQuery() == null
                                && uri.getRawFragment() == null;
                        return Optional.of(uri).filter(_ -> http && plain && uri.getHost() != null);
                    } catch (URISyntaxException e) {
                        return Optional.empty();
                    }
                });
    }

    /** As OpenTelemetry writes maps into variables: W3C Baggage without properties; values are percent-encoded. Of two for one key the last counts. */
    static ValueKind<Map<String, String>> pairs(String legal, Predicate<Map.Entry<String, String>> allowed) {
        return new ValueKind<>("a list with commas, each key=value " + legal, text -> {
            var pairs = Arrays.stream(text.split(",")).map(ValueKind::readPair).toList();
            return pairs.stream().allMatch(pair -> pair.filter(allowed).isPresent())
                    ? Optional.of(pairs.stream()
                            .flatMap(Optional::stream)
                            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (_, last) -> last)))
                    : Optional.empty();
        });
    }

    private static Optional<Map.Entry<String, String>> readPair(String text) {
        int equals = text.indexOf('=');
        if (equals < 1) {
            return Optional.empty();
        }
        try {
            // A plus is a plus here, unlike in forms.
            String value = URLDecoder.decode(text.substring(equals + 1).strip().replace("+", "%2B"), UTF_8);
            return Optional.of(Map.entry(text.substring(0, equals).strip(), value));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    static ValueKind<String> words(int maxLength) {
        return new ValueKind<>(
                "at most %d printable ASCII characters".formatted(maxLength),
                text -> Optional.of(text)
                        .filter(words ->
                                words.length() <= maxLength && words.chars().allMatch(c -> c >= ' ' && c <= '~')));
    }

    static ValueKind<ListenAddress> listenAddress() {
        return new ValueKind<>(
                "[host]:port with a port from 0 to 65535 (0: any free one), such as :8080, 127.0.0.1:8080 or [::1]:8080, or unix:/path",
                ListenAddress::parse);
    }

    private static <E extends Enum<E>> String spell(E constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static Optional<Matcher> matching(Pattern pattern, String text) {
        var matcher = pattern.matcher(text);
        return matcher.matches() ? Optional.of(matcher) : Optional.empty();
    }

    /** The patterns hold at most 15 digits and the units at most 30 bits, so nothing overflows but GiB; that is refused by the range. */
    private static long countBytes(Matcher matcher) {
        long count = Long.parseLong(matcher.group(1));
        String unit = matcher.group(2);
        int shift = unit == null ? 0 : unit.equals("KiB") ? 10 : unit.equals("MiB") ? 20 : 30;
        return count > Long.MAX_VALUE >> shift ? Long.MAX_VALUE : count << shift;
    }

    private static Optional<Duration> readDuration(String text) {
        if (SECONDS.matcher(text).matches()) {
            return Optional.of(toDuration(text, "s"));
        }
        var part = DURATION_PART.matcher(text);
        var sum = Duration.ZERO;
        int end = 0;
        while (end < text.length() && part.find(end) && part.start() == end) {
            sum = sum.plus(toDuration(part.group(1), part.group(2)));
            end = part.end();
        }
        return end == text.length() && end > 0 ? Optional.of(sum) : Optional.empty();
    }

    private static Duration toDuration(String count, String unit) {
        long milliseconds = switch (unit) {
            case "ms" -> 1;
            case "s" -> 1_000;
            case "m" -> 60_000;
            default -> 3_600_000;
        };
        return Duration.ofMillis(
                new BigDecimal(count).multiply(BigDecimal.valueOf(milliseconds)).longValue());
    }

    private static String describe(Duration duration) {
        long milliseconds = duration.toMillis();
        return milliseconds > 0 && milliseconds % 3_600_000 == 0
                ? milliseconds / 3_600_000 + "h"
                : milliseconds % 1_000 == 0 ? milliseconds / 1_000 + "s" : milliseconds + "ms";
    }

    private static String describeBytes(int bytes) {
        return bytes % (1 << 20) == 0
                ? (bytes >> 20) + "MiB"
                : bytes % (1 << 10) == 0 ? (bytes >> 10) + "KiB" : Integer.toString(bytes);
    }
}
