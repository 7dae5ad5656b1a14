package io.hexr.sandbox.policy;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.identity.SpiffeId;
import io.hexr.sandbox.identity.TrustDomain;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The policy file: strict YAML. A file with one mistake is no policy, and all its mistakes are told at once. */
final class PolicyReader {
    private static final int VERSION = 1;
    private static final double MIN_SECONDS = Allowance.MIN_TIMEOUT.toMillis() / 1e3;

    private static final YAMLMapper YAML = YAMLMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .build();

    private final List<String> mistakes = new ArrayList<>();

    private PolicyReader() {}

    private record Document(
            @Nullable Integer version, @Nullable List<Entry> callers) {}

    private record Entry(
            @Nullable String match,
            @Nullable Double requestsPerSecond,
            @Nullable Integer concurrent,
            @Nullable Double runSecondsPerMinute,
            @Nullable Double maxTimeout,
            @Nullable Integer maxMemoryMb,
            @Nullable List<String> languages) {}

    static Policy read(String text) throws IOException {
        return new PolicyReader().policy(text);
    }

    private Policy policy(String text) throws IOException {
        Document document;
        try {
            document = YAML.readValue(text, Document.class);
        } catch (JacksonException e) {
            throw new IOException(mistake(e));
        }
        if (document == null || !Objects.equals(document.version, VERSION)) {
            throw new IOException("version must be " + VERSION);
        }
        if (document.callers == null || document.callers.isEmpty()) {
            throw new IOException("callers must have at least one entry, else nobody may call");
        }
        var rules = new ArrayList<Policy.Rule>();
        for (int i = 0; i < document.callers.size(); i++) {
            rules.add(rule("callers[%d]".formatted(i), document.callers.get(i)));
        }
        if (!mistakes.isEmpty()) {
            throw new IOException(String.join("; ", mistakes));
        }
        return new Policy(rules);
    }

    /** In the words of the file: what the mapper says of a wrong value names classes. */
    private static String mistake(JacksonException e) {
        return switch (e) {
            case UnrecognizedPropertyException unknown ->
                "%s is no field; legal are %s"
                        .formatted(
                                path(e),
                                unknown.getKnownPropertyIds().stream()
                                        .map(String::valueOf)
                                        .collect(Collectors.joining(", ")));
            case MismatchedInputException _ when !e.getPath().isEmpty() -> path(e) + " has a value of the wrong kind";
            default ->
                "%s%s"
                        .formatted(
                                e.getLocation() == null
                                        ? ""
                                        : "line %d: ".formatted(e.getLocation().getLineNr()),
                                e.getOriginalMessage());
        };
    }

    private static String path(JacksonException e) {
        return e.getPath().stream()
                .map(step -> step.getPropertyName() == null
                        ? "[%d]".formatted(step.getIndex())
                        : "." + step.getPropertyName())
                .collect(Collectors.joining())
                .substring(1);
    }

    private Policy.Rule rule(String path, @Nullable Entry entry) {
        if (entry == null) {
            mistakes.add(path + " is empty");
            return Policy.EVERYBODY.rules().getFirst();
        }
        var open = Allowance.UNLIMITED;
        return new Policy.Rule(
                pattern(path, entry.match),
                new Allowance(
                        positive(path + ".requests_per_second", entry.requestsPerSecond, open.requestsPerSecond()),
                        positive(path + ".concurrent", entry.concurrent, open.concurrent()),
                        positive(
                                path + ".run_seconds_per_minute",
                                entry.runSecondsPerMinute,
                                open.runSecondsPerMinute()),
                        entry.maxTimeout == null
                                ? open.maxTimeout()
                                : seconds(atLeast(path + ".max_timeout", MIN_SECONDS, entry.maxTimeout, 1.0)),
                        atLeast(
                                path + ".max_memory_mb",
                                Allowance.MIN_MEMORY_MB,
                                entry.maxMemoryMb,
                                open.maxMemoryMb()),
                        languages(path + ".languages", entry.languages)));
    }

    private static Duration seconds(double seconds) {
        return Duration.ofMillis(BigDecimal.valueOf(seconds).movePointRight(3).longValue());
    }

    private <T extends Number> T atLeast(String path, T least, @Nullable T value, T open) {
        if (value != null && value.doubleValue() < least.doubleValue()) {
            mistakes.add("%s is %s: must be at least %s".formatted(path, value, least));
            return open;
        }
        return positive(path, value, open);
    }

    private <T extends Number> T positive(String path, @Nullable T value, T open) {
        if (value == null) {
            return open;
        }
        if (!(value.doubleValue() > 0) || value.doubleValue() > Integer.MAX_VALUE) {
            mistakes.add("%s is %s: must be greater than 0".formatted(path, value));
            return open;
        }
        return value;
    }

    private Set<Language> languages(String path, @Nullable List<String> ids) {
        if (ids == null) {
            return Allowance.UNLIMITED.languages();
        }
        for (String id : ids) {
            if (id == null || Language.byId(id).isEmpty()) {
                mistakes.add("%s has %s: must be of %s".formatted(path, id, String.join(", ", Language.ids())));
            }
        }
        return ids.stream()
                .filter(Objects::nonNull)
                .map(Language::byId)
                .flatMap(Optional::stream)
                .collect(Collectors.toSet());
    }

    private Policy.Pattern pattern(String path, @Nullable String match) {
        if (match != null && match.endsWith("/*")) {
            String prefix = match.substring(0, match.length() - 1);
            String stem = match.substring(0, match.length() - 2);
            boolean domain = stem.startsWith("spiffe://")
                    && TrustDomain.parse(stem.substring("spiffe://".length())).isPresent();
            if (domain || SpiffeId.parse(stem).isPresent()) {
                return new Policy.Below(prefix);
            }
        } else if (match != null
                && (match.equals("anonymous") || SpiffeId.parse(match).isPresent())) {
            return new Policy.Exactly(match);
        }
        mistakes.add("%s.match is %s: must be a SPIFFE ID, one that ends with /* for all below it, or anonymous"
                .formatted(path, match));
        return new Policy.Everybody();
    }
}
