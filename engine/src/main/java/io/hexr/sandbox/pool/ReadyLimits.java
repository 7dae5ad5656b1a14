package io.hexr.sandbox.pool;

import io.hexr.sandbox.sandbox.HostLimits;
import java.time.Duration;

/**
 * How many sandboxes may wait for calls, and with what.
 *
 * @param memoryBytes what all of them may hold together, those that are being made included; 0: none waits
 * @param min how many of each language wait when nobody calls, as far as the memory goes
 * @param max how many of each language wait at most
 * @param refills how many are made at once
 * @param headStart how long a call that left others waiting has the processors before another one is made in place of its sandbox
 * @param maxAge how long one waits; then it is replaced
 * @param whileWaiting what each may use of the host until it is taken
 */
public record ReadyLimits(
        long memoryBytes,
        int min,
        int max,
        int refills,
        Duration headStart,
        Duration maxAge,
        HostLimits whileWaiting) {}
