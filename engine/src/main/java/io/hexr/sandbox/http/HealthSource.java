package io.hexr.sandbox.http;

/** Who knows how the engine is; asked on every {@code GET /health}, so it must answer at once. */
public interface HealthSource {
    HealthReport health();
}
