@NullMarked
package io.hexr.sandbox.telemetry.metrics;

import org.jspecify.annotations.NullMarked;
