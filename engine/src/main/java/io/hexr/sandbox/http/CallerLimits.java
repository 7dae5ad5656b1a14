package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.policy.Allowance;
import java.time.Duration;
import java.util.stream.Collectors;

/** What the policy lets this caller ask for, within what the engine lets anybody. */
final class CallerLimits {
    private CallerLimits() {}

    static void require(Allowance allowance, Language language, Duration timeout, int memoryMb) throws EngineException {
        if (!allowance.languages().contains(language)) {
            throw EngineException.forbidden(
                    "language",
                    "This caller may not run %s.".formatted(language.id()),
                    allowance.languages().stream().map(Language::id).sorted().collect(Collectors.joining(", ")));
        }
        if (timeout.compareTo(allowance.maxTimeout()) > 0) {
            throw EngineException.forbidden(
                    "timeout",
                    "This caller may not run programs that long.",
                    "at most %s seconds".formatted(allowance.maxTimeout().toMillis() / 1e3));
        }
        if (memoryMb > allowance.maxMemoryMb()) {
            throw EngineException.forbidden(
                    "memory_mb", "This caller may not have that much memory.", "at most " + allowance.maxMemoryMb());
        }
    }
}
