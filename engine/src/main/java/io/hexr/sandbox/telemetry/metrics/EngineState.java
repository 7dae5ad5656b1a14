package io.hexr.sandbox.telemetry.metrics;

import io.hexr.sandbox.policy.PolicySource;
import io.hexr.sandbox.pool.PoolLevels;
import io.hexr.sandbox.sandbox.BackendInfo;
import io.hexr.sandbox.telemetry.audit.Audit;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What has a value at any moment; asked for at every reading, by several threads. */
public interface EngineState {
    /** Which of {@link #states} holds. */
    String state();

    List<String> states();

    BackendInfo backend();

    int running();

    int runningLimit();

    int waiting();

    int waitingLimit();

    /** Empty until the templates are there. */
    Optional<PoolLevels> pool();

    Audit.Counts audit();

    PolicySource.Counts policy();

    /** When the engine's own certificate ends; empty when it has none. */
    Optional<Instant> svidExpiry();

    /** Spans that reached no collector, since the start. */
    long lostSpans();
}
