package io.hexr.sandbox.telemetry.audit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/**
 * One line of the log: JSON whose last member is the SHA-256 of all bytes before it, among them the hash of the line before. So whoever changes,
 * removes or inserts a line must change every later one, and whoever noted one hash can tell.
 *
 * @param sequence counts the lines from 1, across files
 * @param hash of this line, in hex
 */
record AuditLine(String text, long sequence, String previous, String hash) {
    /** What the first line names as the one before it. */
    static final String NOTHING = "0".repeat(64);

    private static final JsonMapper JSON = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .build();

    /** The code in it may have line ends of Unicode, which JSON leaves as they are. */
    private static final Pattern FORM = Pattern.compile(
            "(?s)(\\{\"sequence\":(\\d{1,18}),\"previous\":\"([0-9a-f]{64})\",.*),\"hash\":\"([0-9a-f]{64})\"\\}");

    private record Content(
            long sequence, String previous, String time, String backend, String isolation, AuditRecord call) {}

    static AuditLine of(
            long sequence, String previous, Instant time, String backend, String isolation, AuditRecord call) {
        String json =
                JSON.writeValueAsString(new Content(sequence, previous, time.toString(), backend, isolation, call));
        String hashed = json.substring(0, json.length() - 1);
        String hash = sha256(hashed.getBytes(UTF_8));
        return new AuditLine("%s,\"hash\":\"%s\"}".formatted(hashed, hash), sequence, previous, hash);
    }

    /** The line that this text is, if its hash is right. */
    static Optional<AuditLine> parse(String text) {
        var matcher = FORM.matcher(text);
        if (!matcher.matches() || !sha256(matcher.group(1).getBytes(UTF_8)).equals(matcher.group(4))) {
            return Optional.empty();
        }
        return Optional.of(new AuditLine(text, Long.parseLong(matcher.group(2)), matcher.group(3), matcher.group(4)));
    }

    static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
